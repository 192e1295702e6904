"""A model server of a known speed: `python -m everword.bench.speed.stub PORT`.

It has OpenAI's API, and takes a fixed time for each text to embed and for each chat answer, one request after the
other. The vector of a text is made of its words, so texts with common words are near each other; `answers.py` writes
the chat answers. POST /speed sets the speeds; GET /asked returns the chat requests since the last call.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time
import zlib
from functools import lru_cache

import numpy as np
import uvloop
from numpy.typing import NDArray

from everword.bench.speed.answers import Body, answer
from everword.embedded.ports import HOST

MODEL = "stub-384"
#: The server's list has the other alone: who embeds takes the only model that there is.
CHAT_MODEL = "stub-chat"
DIMENSIONS = 384
#: Length in characters from which a word weighs more: long words are mostly rare and say more about a text's topic.
LONG_WORD = 8
_WORDS_KEPT = 50_000
Vector = NDArray[np.float32]


def vector(text: str) -> Vector:
    """Return the unit vector of a text."""
    words = sorted(set(text.lower().split())) or [""]
    total = np.sum([_word(word) for word in words], axis=0, dtype=np.float32)
    return np.asarray(total / np.linalg.norm(total), np.float32)


@lru_cache(_WORDS_KEPT)
def _word(word: str) -> Vector:
    direction = np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSIONS)
    weight = (min(len(word), LONG_WORD) / LONG_WORD) ** 2 or 1.0
    return np.asarray(weight * direction, np.float32)


class Line:
    """The queue of requests to one model. `rate` is the number per second; None for no limit."""

    def __init__(self, rate: float | None = None) -> None:
        self.rate = rate
        self._free_at = 0.0

    def due(self, number: int) -> float:
        """Put a request in line, and return when the model is done with it."""
        now = time.monotonic()
        self._free_at = max(now, self._free_at) + (number / self.rate if self.rate else 0.0)
        return self._free_at


class Stub:
    """A model that embeds, and one that chats: each has its own line."""

    def __init__(self) -> None:
        self._texts, self._answers = Line(), Line()
        self._asked: list[Body] = []

    async def answer(self, method: str, path: str, body: Body) -> tuple[int, Body]:
        """Return the status and the body of an answer."""
        match method, path:
            case "GET", "/v1/models":
                return 200, {"object": "list", "data": [{"id": MODEL, "owned_by": "everword"}]}
            case "POST", "/speed":
                self._texts, self._answers = Line(body["texts"]), Line(body["answers"])
                return 200, body
            case "GET", "/asked":
                asked, self._asked = self._asked, []
                return 200, {"asked": asked}
            case "POST", "/v1/embeddings":
                return 200, await self._embeddings(body)
            case "POST", "/v1/chat/completions":
                return 200, await self._completion(body)
        return 404, {"error": {"message": f"there is no {method} {path}"}}

    async def _embeddings(self, body: Body) -> Body:
        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        # The time to make the vectors up is part of the model's time.
        due = self._texts.due(len(texts))
        data = [
            {"index": index, "object": "embedding", "embedding": _encoded(text, body)}
            for index, text in enumerate(texts)
        ]
        await asyncio.sleep(due - time.monotonic())
        words = sum(len(text.split()) for text in texts)
        return {"object": "list", "model": MODEL, "data": data, "usage": {"prompt_tokens": words}}

    async def _completion(self, body: Body) -> Body:
        """Answer as a whole: clients that ask for a stream take that, too."""
        self._asked.append(body)
        due = self._answers.due(1)
        said = answer(body)
        await asyncio.sleep(due - time.monotonic())
        read = sum(len(message["content"].split()) for message in body["messages"])
        message = {"role": "assistant", "content": said}
        return {
            "model": CHAT_MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": read, "completion_tokens": len(said.split())},
        }


def _encoded(text: str, body: Body) -> str | list[float]:
    values = vector(text)
    if body.get("encoding_format") == "base64":
        return base64.b64encode(values.astype("<f4").tobytes()).decode()
    return [float(value) for value in values]


async def _serve(stub: Stub, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection, until it is closed."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            request, *lines = head.decode("latin-1").strip().split("\r\n")
            method, path, _ = request.split(" ")
            headers = dict(line.lower().split(": ", 1) for line in lines)
            content = await reader.readexactly(int(headers.get("content-length", "0")))
            status, body = await stub.answer(method, path, json.loads(content or b"{}"))
            sent = json.dumps(body).encode()
            writer.write(
                f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\n"
                f"content-length: {len(sent)}\r\n\r\n".encode()
            )
            writer.write(sent)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    stub = Stub()
    server = await asyncio.start_server(lambda r, w: _serve(stub, r, w), HOST, port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
