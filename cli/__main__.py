"""`python -m kzoo_cli` is `kzoo`, for a Python whose scripts are not on the path."""

from .main import main

main()
