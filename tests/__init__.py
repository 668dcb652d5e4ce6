"""The tests of kzoo; `python -m tests` runs them all, on every installed backend."""
