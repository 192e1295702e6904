"""The refusals of a server with OpenAI's API."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

#: The longest message of a server that is passed on.
_MAX_MESSAGE = 200
#: Length of text that a message and a request may share by chance; more may be repeated content.
_ECHO = 12


def said_of(answer: httpx2.Response, texts: Sequence[str]) -> str:
    """Return a description of a refusal that is safe for logs: its status, and words without content."""
    words = words_without(message_of(json_or_none(answer)), texts)
    return f"the model server answers {answer.status_code}{f': {words}' if words else ''}"


def words_without(message: str, texts: Sequence[str]) -> str:
    """Return a server's words, or nothing if they repeat a part of a request, because errors must not have content."""
    words = " ".join(message.split())[:_MAX_MESSAGE]
    parts = {words[start : start + _ECHO] for start in range(len(words) - _ECHO + 1)}
    return "" if any(part in text for part in parts for text in texts) else words


def message_of(body: Any) -> str:
    """Return the message of `{"error": {"message": …}}`, `{"error": …}` or `{"detail": …}`."""
    if not isinstance(body, dict):
        return ""
    error = body.get("error", body.get("detail", ""))
    if isinstance(error, dict):
        error = error.get("message", "")
    return error if isinstance(error, str) else ""


def json_or_none(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except (ValueError, RecursionError):
        return None


def pause_of(header: str | None, at_most_s: float) -> float | None:
    """Return the seconds that a Retry-After header asks for: a number of seconds, or a date."""
    if not header:
        return None
    try:
        pause = float(header)
    except ValueError:
        try:
            pause = parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return None
    return min(max(pause, 0.0), at_most_s) if math.isfinite(pause) else None
