"""What packages gave, kept on disk: parsing them all takes a minute."""

import contextlib
import gzip
import hashlib
import json
import os
import sys
from pathlib import Path

VERSION = 3  # of what is made of files; another one makes all anew


def kept(package, most, make):
    """What `make()` gives of a package; as it was kept, if no file changed since.

    Args:
        package: `Package`.
        most: int. How many pairs are made of it.
        make: function without arguments whose result is what JSON can say.
    """
    path = _folder() / f"{package.name}-{_key(package, most)}.json.gz"
    with contextlib.suppress(OSError, EOFError, ValueError):
        return json.loads(gzip.decompress(path.read_bytes()))
    made = make()
    with contextlib.suppress(OSError):  # A full or locked disk costs time, no more.
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}")
        unfinished.write_bytes(gzip.compress(json.dumps(made).encode(), 1, mtime=0))
        unfinished.replace(path)
    return made


def _folder():
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "kzoo" / "docstrings"


def _key(package, most):
    files = [[*file] for file in package.files]
    of = [VERSION, sys.version_info[:2], most, package.name, files]
    return hashlib.blake2b(json.dumps(of).encode(), digest_size=12).hexdigest()
