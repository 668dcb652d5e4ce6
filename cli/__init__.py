"""The command line, installed as `kzoo_cli`; nothing heavy at module level."""

if __name__ != "kzoo_cli":
    raise ImportError(
        "Import the command line as `kzoo_cli`, the name it is installed under; "
        f"Received: {__name__}"
    )
