"""Recipes as data: schema, loader and the shipped .toml files. No Keras."""
