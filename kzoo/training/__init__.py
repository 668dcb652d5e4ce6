"""Training: one loop over one small stepper per backend."""
