"""What parts of kzoo cost on this machine: nothing here starts Keras but the worker."""
