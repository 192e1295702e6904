"""The answers of servers with OpenAI's API, and their meaning."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any

import httpx2
import numpy as np

from everword.model_server.refusals import pause_of, said_of
from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderMisconfigured,
    ProviderUnavailable,
    WrongAnswer,
)
from everword_embedder.providers.vectors import Vector, Vectors

#: Status codes for a wrong request: an input that is too long or unreadable.
_REFUSED = {400, 413, 422}
#: llama.cpp answers 500 to a text that is longer than its batch.
_TOO_LONG = re.compile(r"too (large|long)|exceeds? .*(context|length|tokens)", re.IGNORECASE)
#: Status codes for a temporary failure; proxies send 408 and 425.
_LATER = {408, 425, 429}
#: Seconds; limit for the pause that a server requests. During the pause, searches have no semantic results.
_MAX_PAUSE_S = 60.0


def raise_refusal(answer: httpx2.Response, texts: Sequence[str]) -> None:
    """Raise the ProviderError that an answer's status means for a request with `texts`; nothing for success."""
    status = answer.status_code
    if status == 200:
        return
    said = said_of(answer, texts)
    if status in _REFUSED or (status == 500 and _TOO_LONG.search(said)):
        raise BatchRefused(said)
    if status in _LATER or status >= 500:
        pause = pause_of(answer.headers.get("retry-after"), _MAX_PAUSE_S)
        raise ProviderUnavailable(said, retry_after_s=pause)
    raise ProviderMisconfigured(said)


def json_of(answer: httpx2.Response) -> dict[str, Any]:
    """Return a body that is a JSON object. Raises WrongAnswer."""
    try:
        body = answer.json()
    except ValueError as error:
        raise WrongAnswer("the model server's answer is not JSON") from error
    if not isinstance(body, dict):
        raise WrongAnswer("the model server's answer has an unexpected JSON structure")
    return body


def vectors_of(body: dict[str, Any], texts: int) -> Vectors:
    """Return the vectors of an answer in the order of the texts, as they were sent. Raises WrongAnswer."""
    try:
        # Some servers leave out the index; their vectors are in order.
        by_index = {
            int(entry.get("index", place)): _vector(entry["embedding"])
            for place, entry in enumerate(body["data"])
        }
    except (AttributeError, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise WrongAnswer("the model server's vectors cannot be read") from error
    if len(body["data"]) != texts or by_index.keys() != set(range(texts)):
        raise WrongAnswer(f"{len(by_index)} vectors were returned for {texts} texts")
    rows = [by_index[index] for index in range(texts)]
    if len({row.shape for row in rows}) > 1:
        raise WrongAnswer("vectors of one answer differ in dimensions")
    return np.array(rows, np.float32)


def _vector(embedding: str | list[float]) -> Vector:
    """Read a vector in either of the two encodings: base64 of little-endian float32, or a list of numbers."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    # A finite double that is beyond float32 becomes infinite, which the check of vectors refuses.
    with np.errstate(over="ignore"):
        return np.array(embedding, np.float64).astype(np.float32)


def tokens_of(body: dict[str, Any]) -> int:
    """Return the number of tokens that the model has read; 0 if the server does not return it."""
    usage = body.get("usage")
    tokens = usage.get("prompt_tokens", 0) if isinstance(usage, dict) else 0
    return tokens if isinstance(tokens, int) else 0
