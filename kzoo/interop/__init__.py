"""Checkpoints of other libraries, read and written without those libraries."""
