"""How scores become context: one module per kernel of attention."""
