"""Broken files by the thousand: `python -m tests.fuzz --help`."""
