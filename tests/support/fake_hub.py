"""A model hub with one model, by the HTTP API of Hugging Face's."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "1" * 40


class FakeHub:
    """Serves the files of `folder` as the model `name`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        #: Files that were downloaded, in order.
        self.downloaded: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def files(self) -> list[str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in paths)

    @contextmanager
    def running(self) -> Iterator[FakeHub]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            thread.join()
            self._http.server_close()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    api, resolve = f"/api/models/{hub.name}", f"/{hub.name}/resolve/"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            path = self.path.partition("?")[0]
            if path.startswith(f"{api}/tree/"):
                self._send_json([self._entry(file) for file in hub.files])
            elif path == api or path.startswith(f"{api}/revision/"):
                siblings = [{"rfilename": file} for file in hub.files]
                self._send_json({"id": hub.name, "sha": COMMIT, "siblings": siblings})
            elif path.startswith(resolve):
                self._send_file(path.removeprefix(resolve).partition("/")[2])
            else:
                self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

        def _entry(self, file: str) -> dict[str, object]:
            content = (hub.folder / file).read_bytes()
            oid = hashlib.sha1(content, usedforsecurity=False).hexdigest()
            return {"type": "file", "path": file, "size": len(content), "oid": oid}

        def _send_json(self, body: object) -> None:
            self._send(200, json.dumps(body).encode(), {})

        def _send_file(self, file: str) -> None:
            if file not in hub.files:
                self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
                return
            if self.command == "GET":
                hub.downloaded.append(file)
            content = (hub.folder / file).read_bytes()
            oid = hashlib.sha1(content, usedforsecurity=False).hexdigest()
            self._send(200, content, {"ETag": f'"{oid}"', "X-Repo-Commit": COMMIT})

        def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
