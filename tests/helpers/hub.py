"""A Hugging Face hub of one's own: enough of it for `datasets` and for models."""

import contextlib
import hashlib
import http.server
import json
import re
import threading
from urllib.parse import parse_qs, unquote

MODEL = re.compile(
    r"/(?:api/models/)?([\w.-]+/[\w.-]+)((?:/(?:tree|revision|resolve)/.*)?)$"
)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextlib.contextmanager
def serving(repositories, models=None, gated=()):
    """Serve datasets, `{"org/name": {"train.csv": b"…"}}`, and models; give where.

    Models have the one revision `main`, those named in `gated` terms to accept.
    """
    attributes = {"repositories": repositories, "models": models or {}, "gated": gated}
    handler = type("Handler", (_Handler,), attributes)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    repositories = models = gated = None

    def do_GET(self):
        path = self.path.split("?")[0]
        model = MODEL.match(path)
        if model is not None:
            return self.model(unquote(path), *model.groups())
        found = re.match(r"/(?:api/)?datasets/([^/]+/[^/]+)(/.*)?$", path)
        files = self.repositories.get(found[1]) if found else None
        if files is None:
            self.answer(404, b"{}", X_Error_Code="RepoNotFound")
        elif not path.startswith("/api/"):
            self.file(files, found[2].split("/", 3)[3])
        elif (found[2] or "").startswith("/tree/"):
            deep = "recursive=true" in self.path.lower()
            self.answer(200, as_json(within(files, found[2], deep)))
        else:
            names = [{"rfilename": name} for name in files]
            info = {"id": found[1], "sha": COMMIT, "siblings": names, "tags": []}
            self.answer(200, as_json({**info, "private": False, "gated": False}))

    do_HEAD = do_GET

    def model(self, path, name, rest):
        files = self.models.get(name)
        if files is None:
            return self.answer(404, b"{}", X_Error_Code="RepoNotFound")
        parts = unquote(rest).split("/", 3)[1:]
        if len(parts) > 1 and parts[1] not in ("main", COMMIT):
            return self.answer(404, b"{}", X_Error_Code="RevisionNotFound")
        if name in self.gated:
            return self.answer(403, b"{}", X_Error_Code="GatedRepo")
        if path.startswith("/api/"):
            if parts and parts[0] == "tree":
                return self.answer(200, as_json(within(files, rest, True)))
            names = [{"rfilename": file} for file in files]
            info = {"id": name, "sha": COMMIT, "siblings": names, "tags": []}
            return self.answer(200, as_json({**info, "private": False}))
        self.file(files, parts[2])

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = re.match(r"/api/datasets/([^/]+/[^/]+)/paths-info/", self.path)
        if not found or found[1] not in self.repositories:
            return self.answer(404, b"{}")
        files = self.repositories[found[1]]
        form = "json" not in self.headers.get("Content-Type", "")
        asked = parse_qs(body.decode()) if form else json.loads(body)
        known = [about(files, name) for name in asked["paths"] if name in files]
        self.answer(200, as_json(known))

    def file(self, files, name):
        content = files.get(name)
        if content is None:
            self.answer(404, b"{}", X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
            return
        headers = {"ETag": f'"{digest(content)}"', "X_Repo_Commit": COMMIT}
        asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked is None:
            self.answer(200, content, "application/octet-stream", **headers)
            return
        first = int(asked[1])
        part = content[first : int(asked[2] or len(content)) + 1]
        place = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
        headers["Content_Range"] = place
        self.answer(206, part, "application/octet-stream", **headers)

    def answer(self, code, body, kind="application/json", **headers):
        self.send_response(code)
        headers |= {"Content_Type": kind, "Content_Length": len(body)}
        for name, value in {**headers, "Accept_Ranges": "bytes"}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *arguments):
        """Tests are quiet."""


def within(files, path, deep):
    """What `/tree/REVISION/FOLDER` has: files and folders, at any depth if `deep`."""
    _, _, _, *folder = unquote(path).split("/", 3)
    start = f"{folder[0]}/" if folder and folder[0] else ""
    here = {}
    for name in files:
        parts = name.removeprefix(start).split("/") if name.startswith(start) else ()
        for depth, _ in enumerate(parts if deep else parts[:1], 1):
            here[start + "/".join(parts[:depth])] = None
    folders = {"type": "directory", "oid": digest(b""), "size": 0}
    return [
        about(files, name) if name in files else {**folders, "path": name}
        for name in here
    ]


def about(files, name):
    content = files[name]
    return {
        "type": "file",
        "path": name,
        "size": len(content),
        "oid": digest(content),
    }


def digest(content):
    return hashlib.sha1(content).hexdigest()


def as_json(value):
    return json.dumps(value).encode()
