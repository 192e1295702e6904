"""Maps the refusals of chat servers to errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import httpx2

from everword.chat.errors import (
    ChatBusy,
    ChatError,
    ChatMisconfigured,
    ChatRefused,
    ChatUnavailable,
    FormatRefused,
    InputTooLong,
    OutputTooLong,
)
from everword.model_server.refusals import json_or_none, message_of, pause_of, said_of

#: Codes that blame the request.
_REFUSED = {400, 413, 422}
#: Codes that blame the moment. 408 and 425 are what proxies say.
_BUSY = {408, 425, 429}
#: Advice by code, for errors that need a person.
_ADVICE = {
    401: "check EVERWORD_CHAT_API_KEY",
    402: "the account of EVERWORD_CHAT_API_KEY needs credit",
    403: "the key of EVERWORD_CHAT_API_KEY may not use this model, or the server refuses the content",
    404: "check EVERWORD_CHAT_URL and EVERWORD_CHAT_MODEL",
}
#: How OpenAI says, with a 429, that an account has no credit: waiting does not help.
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|insufficient balance", re.I
)
#: How servers word that they do not support a form of answers: llama.cpp (with 400 or 500), Ollama, LM Studio, vLLM,
#: DeepSeek and others.
_FORMAT = re.compile(
    r"response_?format|json_?schema|json_object|guided[ _](?:json|decoding)|structured[ _]outputs?"
    r"|(?:parse|compile|invalid|unsupported|initialize)\b.{0,30}\b(?:grammar|samplers?|format)\b",
    re.IGNORECASE,
)
#: The longest pause that is passed on.
_MAX_PAUSE_S = 3600.0
#: How servers word that an input is too long: vLLM in its releases, OpenAI, llama.cpp and others.
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|maximum (?:model|prompt|input) length|max_model_len"
    r"|(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)|too many tokens|at least 1, got -",
    re.IGNORECASE,
)
#: The model's limit in such words; the first number is the limit, the others are of the request.
_LIMIT = re.compile(
    r"(?:maximum (?:context|model|prompt|input) length|context (?:length|size|window)|max_model_len)"
    r"\D{0,20}?(\d{3,9})",
    re.IGNORECASE,
)
#: How hosted APIs word that a request allows the answer too many tokens.
_OUTPUT = re.compile(r"max_(?:completion_)?tokens|maxOutputTokens|output tokens", re.IGNORECASE)
#: Neither negative nor part of a model's name.
_NUMBER = re.compile(r"(?<![-\d])\d{3,9}")


def error_of(answer: httpx2.Response, texts: Sequence[str]) -> ChatError:
    """Return what an answer that is no success means for a request with `texts`. Its body has been read."""
    said = said_of(answer, texts)
    pause = pause_of(answer.headers.get("retry-after"), _MAX_PAUSE_S)
    return error_for(answer.status_code, said, _message_and_kind(answer), pause)


def error_for(status: int, said: str, words: str, pause_s: float | None = None) -> ChatError:
    """Return the error for a status. `said` becomes the message; `words` are the server's own, and only searched."""
    if status in _REFUSED:
        limit = _LIMIT.search(words)
        if limit is None and (output_tokens := _output_limit(words)):
            return OutputTooLong(said, output_tokens)
        if status == 413 or _TOO_LONG.search(words):
            return InputTooLong(said, int(limit[1]) if limit else None)
        return FormatRefused(said) if _FORMAT.search(words) else ChatRefused(said)
    if status == 429 and _NO_CREDIT.search(words):
        status = 402
    if status in _BUSY:
        return ChatBusy(said, pause_s)
    if status >= 500:
        return FormatRefused(said) if _FORMAT.search(words) else ChatUnavailable(said, pause_s)
    advice = _ADVICE.get(status)
    return ChatMisconfigured(f"{said}; {advice}" if advice else said)


def _output_limit(words: str) -> int | None:
    """Return the maximum of `max_tokens` that a refusal names: the lowest number in it."""
    numbers = [int(number) for number in _NUMBER.findall(words)]
    return min(numbers, default=None) if _OUTPUT.search(words) else None


def _message_and_kind(answer: httpx2.Response) -> str:
    """Return the message, type and code of a refusal: any of them may show the reason."""
    body = json_or_none(answer)
    error = body.get("error") if isinstance(body, dict) else None
    kinds = [error.get("type"), error.get("code")] if isinstance(error, dict) else []
    return " ".join([message_of(body), *(kind for kind in kinds if isinstance(kind, str))])
