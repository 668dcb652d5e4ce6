"""Checkpoints of other libraries, read and written without those libraries.

Importing this room starts nothing: the hub and tokenizers need no Keras.
"""
