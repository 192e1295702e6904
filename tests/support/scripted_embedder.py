"""A server with OpenAI's API for embeddings that fails on command: a real HTTP server, in threads of its own."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray

Body = dict[str, Any]


@dataclass
class Answer:
    """Status, headers and JSON body of a response."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


#: Turns the right answer into the response; None if nothing is to be sent, and the connection stays open unless closed.
Behaviour = Callable[["ScriptedEmbedder", Answer, socket.socket], Answer | None]


def hang(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> None:
    """Send nothing until the server closes."""
    server.closing.wait()


def reset(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    """Answer with an error; headers are keywords such as `retry_after="1"`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda server, right, connection: _error(code, message, named)


def slow(seconds: float) -> Behaviour:
    def behaviour(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
        server.closing.wait(seconds)
        return right

    return behaviour


def garbage(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
    return Answer(body="garbage")


def not_a_number(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
    """Replace the first vector's values with NaN."""
    right.body["data"][0]["embedding"] = [float("nan")] * server.dimensions
    return right


def wrong_dimensions(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
    for entry in right.body["data"]:
        entry["embedding"] = [1.0] * (2 * server.dimensions)
    return right


def fewer(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
    """Omit the last vector."""
    right.body["data"].pop()
    return right


def unordered(server: ScriptedEmbedder, right: Answer, connection: socket.socket) -> Answer:
    right.body["data"].reverse()
    return right


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report errors of this server, but not a client's disconnect."""
        if not isinstance(sys.exception(), OSError | ValueError):
            super().handle_error(request, client_address)


class ScriptedEmbedder:
    """Serves one model as vLLM does by default."""

    def __init__(
        self,
        dimensions: int = 8,
        *,
        vllm: bool = True,
        binary: bool = True,
        matryoshka: bool = False,
    ) -> None:
        self.model = "scripted"
        self.dimensions = dimensions
        self.max_words = 100
        self.vllm = vllm
        self.binary = binary
        self.matryoshka = matryoshka
        #: A text that makes the model fail.
        self.poison = ""
        #: Behaviours for the next requests for vectors; afterwards `always` applies.
        self.script: deque[Behaviour] = deque()
        self.always: Behaviour | None = None
        #: Requests for vectors so far, and the headers of the last one.
        self.requests: list[Body] = []
        self.headers: dict[str, str] = {}
        self.closing = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def texts(self) -> list[list[str]]:
        return [request["input"] for request in self.requests]

    @contextmanager
    def running(self) -> Iterator[ScriptedEmbedder]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.closing.set()
            self._http.shutdown()
            thread.join()
            self._http.server_close()

    def answer(self, body: Body) -> Answer:
        """Return the right answer to a request for vectors."""
        if body["model"] != self.model:
            return _error(404, f"The model `{body['model']}` does not exist.")
        if "dimensions" in body and not self.matryoshka:
            return _error(400, "the model does not support matryoshka representation")
        if body.get("encoding_format") == "base64" and not self.binary:
            return _error(400, "unknown encoding_format")
        if "truncate_prompt_tokens" in body and not self.vllm:
            return _error(400, "unknown parameter truncate_prompt_tokens")
        cut = self.max_words if "truncate_prompt_tokens" in body else None
        texts = [" ".join(text.split()[:cut]) for text in body["input"]]
        if not texts or any(self._refuses(text) for text in texts):
            return _error(400, f"cannot embed: {body['input']}")
        size = body.get("dimensions", self.dimensions)
        data = [
            {"index": index, "embedding": self._encoded(text, size, body)}
            for index, text in enumerate(texts)
        ]
        words = sum(len(text.split()) for text in texts)
        return Answer(body={"data": data, "usage": {"prompt_tokens": words}})

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return this model's unit vector of a text."""
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        vector = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit

    def models(self) -> Answer:
        entry: Body = {"id": self.model, "owned_by": "library"}
        if self.vllm:
            entry |= {"owned_by": "vllm", "max_model_len": self.max_words}
        return Answer(body={"object": "list", "data": [entry]})

    def _refuses(self, text: str) -> bool:
        return len(text.split()) > self.max_words or bool(self.poison and self.poison in text)

    def _encoded(self, text: str, size: int, body: Body) -> str | list[float]:
        vector = self.vector(text)[:size]
        if body.get("encoding_format") == "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(value) for value in vector]


def _error(code: int, message: str, headers: dict[str, str] | None = None) -> Answer:
    return Answer(code, {"error": {"message": message, "code": code}}, headers or {})


def _handler(server: ScriptedEmbedder) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(server.models() if self.path == "/v1/models" else _error(404, "Not Found"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.requests.append(body)
            server.headers = {name.lower(): value for name, value in self.headers.items()}
            right = server.answer(body)
            behaviour = server.script.popleft() if server.script else server.always
            answer = behaviour(server, right, self.connection) if behaviour else right
            if answer is None:
                self.close_connection = True
            else:
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            content = json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {**answer.headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
