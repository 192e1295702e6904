"""A server with OpenAI's chat API that gives scripted answers and failures: real HTTP, in threads of its own.

```
with ScriptedChat().running() as server:
    server.script += [status(500), cut_off("Half a"), answer({"bullets": []})]   # the next requests, in order
    server.reply = lambda request: answer(f"You said: {user_text(request)}")      # all others
```
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.scripted_replies import (
    Body,
    Exchange,
    Reply,
    after,
    answer,
    cut_off,
    drip,
    empty,
    end_after,
    fail_after,
    garbage,
    hang,
    hang_after,
    not_http,
    reset,
    reset_after,
    schema_of,
    status,
    too_long,
    unknown_route,
    user_text,
)

__all__ = [
    "Body",
    "Exchange",
    "Reply",
    "ScriptedChat",
    "after",
    "answer",
    "cut_off",
    "drip",
    "empty",
    "end_after",
    "fail_after",
    "garbage",
    "hang",
    "hang_after",
    "not_http",
    "reset",
    "reset_after",
    "schema_of",
    "status",
    "too_long",
    "unknown_route",
    "user_text",
]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report errors of this server, but not a client's disconnect."""
        if not isinstance(sys.exception(), OSError | ValueError):
            super().handle_error(request, client_address)


class ScriptedChat:
    """Serves one model as vLLM does by default. Tokens are words."""

    def __init__(
        self,
        reply: Callable[[Body], Reply] | None = None,
        *,
        model: str = "scripted-chat",
        context_tokens: int | None = 8192,
        tokenize: bool = True,
        streams: bool = True,
        refuses: frozenset[str] = frozenset(),
        port: int = 0,
    ) -> None:
        """Create a server.

        `refuses` are request fields that get a 400. `context_tokens` is not reported if None. Port 0 picks a free one.
        """
        self.model = model
        self.context_tokens = context_tokens
        self.tokenize = tokenize
        self.streams = streams
        self.refuses = refuses
        #: Replies to the next requests; afterwards `always` applies, and else `reply`.
        self.script: deque[Reply] = deque()
        self.always: Reply | None = None
        self.reply: Callable[[Body], Reply] = reply or (lambda request: answer())
        #: Chat requests so far, the headers of the last one, and other requests, by path.
        self.requests: list[Body] = []
        self.headers: dict[str, str] = {}
        self.looked_up: list[str] = []
        #: Answers to other requests by path, instead of those of vLLM.
        self.pages: dict[str, Any] = {}
        #: Number of concurrent chat requests, and its maximum.
        self.active = 0
        self.most_at_once = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), _handler(self))
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.url = f"{self.root}/v1"

    @contextmanager
    def running(self) -> Iterator[ScriptedChat]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.closing.set()
            self._http.shutdown()
            thread.join()
            self._http.server_close()

    def usage(self, body: Body, content: str | None, reasoning: str | None) -> Body:
        """Return the token usage of a request and its answer."""
        said = f"{content or ''} {reasoning or ''}"
        return {"prompt_tokens": _words_in(body), "completion_tokens": len(said.split())}

    def take(self, body: Body, headers: dict[str, str]) -> Reply:
        """Record a request, and return its reply. Requests that the server itself refuses do not use up the script."""
        with self._lock:
            self.requests.append(body)
            self.headers = headers
            if refusal := self._refusal(body):
                return refusal
            if self.script:
                return self.script.popleft()
            return self.always or self.reply(body)

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self.active += 1
            self.most_at_once = max(self.most_at_once, self.active)
        try:
            yield
        finally:
            with self._lock:
                self.active -= 1

    def look_up(self, path: str, body: Body | None) -> tuple[int, Any]:
        """Return the answer to a request other than a chat request."""
        with self._lock:
            self.looked_up.append(path)
        if path in self.pages:
            return 200, self.pages[path]
        if path == "/v1/models" and body is None:
            entry: Body = {"id": self.model, "object": "model", "owned_by": "vllm"}
            if self.context_tokens is not None:
                entry["max_model_len"] = self.context_tokens
            return 200, {"object": "list", "data": [entry]}
        if path == "/tokenize" and body is not None and self.tokenize:
            count = len(body["prompt"].split())
            return 200, {
                "count": count,
                "max_model_len": self.context_tokens,
                "tokens": [1] * count,
            }
        return 404, {"detail": "Not Found"}

    def _refusal(self, body: Body) -> Reply | None:
        if body["model"] != self.model:
            return status(404, f"The model `{body['model']}` does not exist.")
        for name in sorted(self.refuses & body.keys()):
            return status(400, f"Unsupported parameter: '{name}'")
        room: int = body.get("max_tokens", 0) or body.get("max_completion_tokens", 0)
        if self.context_tokens and _words_in(body) + room > self.context_tokens:
            return too_long(self.context_tokens, _words_in(body) + room)
        return None


def _words_in(body: Body) -> int:
    return sum(len(message["content"].split()) for message in body["messages"])


def _handler(server: ScriptedChat) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Small pieces are sent at once.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            Exchange(server, self, {}).json(*server.look_up(self.path, None))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            exchange = Exchange(server, self, body)
            if self.path != "/v1/chat/completions":
                exchange.json(*server.look_up(self.path, body))
                return
            with server.counted():
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.take(body, headers)(exchange)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
