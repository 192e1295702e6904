"""The result of a tool, unwrapped from the envelopes of agents and protocols."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import regex

#: Keys of an envelope that contain the result.
_INNER = (
    "stdout", "output", "content", "result", "results", "structuredContent", "data", "response", "body", "text",
    "payload", "value", "return_value",
)  # fmt: skip
#: Other keys that an envelope may have.
_META = {
    *("stderr", "exit_code", "exitCode", "exit_status", "returncode", "return_code", "code", "rc", "status"),
    *("status_code", "statusCode", "http_status", "httpStatus", "statusText", "status_text", "reason", "isError"),
    *("is_error", "success", "ok", "error", "type", "metadata", "meta", "_meta", "headers", "id", "tool_use_id"),
    *("tool_call_id", "call_id", "duration", "duration_ms", "duration_seconds", "elapsed", "elapsed_ms", "time"),
    *("execution_time", "took", "interrupted", "truncated", "timed_out", "killed", "signal", "url", "method", "role"),
    *("name", "isImage", "timestamp", "request_id", "command", "cwd", "annotations", "wall_time", "message"),
}  # fmt: skip
_EXIT_KEYS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code", "rc")
_STATUS_KEYS = ("status_code", "statusCode", "http_status", "httpStatus", "status", "code")
_EXIT_TEXT = regex.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|exit[_-]code|return(?: |_)?code|non-zero exit status|"
    r"exit(?:ed)? status)(?: was)?[:= (]{1,3}(-?[0-9]{1,3})\b",
    regex.IGNORECASE,
)
_STATUS_TEXT = regex.compile(
    r"(?:\bHTTP/[0-9](?:\.[0-9])? |\bstatus(?: code)?[:= ]{1,2}|\b(?:HTTP|http)(?: error| status)?[: ]{1,2}|"
    r"^(?:Error:? )?|[Ee]rror '|\berror: )([1-5][0-9][0-9])\b(?:[: -]{1,3}(\p{L}[\p{L}' -]{1,40}))?"
)
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_PARSED_CHARS = 4_000_000
_LITERAL_CHARS = 20_000
_ENVELOPES = 8
#: Lines at either end in which a code is looked for.
_ENDS = 4


@dataclass(frozen=True)
class Result:
    """The unwrapped result of a tool."""

    #: The readable part: the output, a body or the whole.
    text: str
    #: The parsed JSON; None for text.
    value: Any = None
    exit_code: int | None = None
    #: Of HTTP, with its phrase.
    status: int | None = None
    phrase: str = ""
    #: True if the envelope says that it failed; None if it does not say.
    failed: bool | None = None
    #: The envelope's error.
    error: Any = None
    envelope: Mapping[str, Any] = field(default_factory=dict)

    @property
    def went_wrong(self) -> bool:
        bad_status = self.status is not None and self.status >= 400
        return bool(self.failed or self.exit_code or bad_status or self.error)


def read_result(raw: str) -> Result:
    """Parse a result. Raises nothing, for any text."""
    envelope: dict[str, Any] = {}
    value: Any = raw
    for _ in range(_ENVELOPES):
        inner = _unwrapped(value, envelope)
        if inner is value:
            break
        value = inner
    text = value if isinstance(value, str) else ""
    stderr = envelope.get("stderr")
    if isinstance(stderr, str) and stderr.strip():
        text = f"{text.rstrip()}\n{stderr}".strip("\n")
    data = None if isinstance(value, str) else value
    told = {**envelope, **data} if isinstance(data, dict) else envelope
    ends = _ends(text)
    status, phrase = _status(told, ends)
    return Result(
        text=text,
        value=data,
        exit_code=_exit_code(told, ends),
        status=status,
        phrase=phrase,
        failed=_failed(told),
        error=_error(told),
        envelope=envelope,
    )


def parse_json(text: str) -> Any:
    """Return the object or list in a text of JSON or Python syntax; None if it is neither."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or len(stripped) > _PARSED_CHARS:
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    if len(stripped) > _LITERAL_CHARS or not stripped.endswith(("}", "]")):
        return None
    try:
        return ast.literal_eval(stripped)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _unwrapped(value: Any, envelope: dict[str, Any]) -> Any:
    """Return the content of one envelope, whose fields go into `envelope`; `value` itself if it is not one."""
    if isinstance(value, str):
        parsed = parse_json(value)
        return value if parsed is None else parsed
    if isinstance(value, list):
        texts = [_block_text(block) for block in value]
        return "\n".join(filter(None, texts)) if value and None not in texts else value
    if not isinstance(value, dict):
        return str(value) if value is not None else ""
    inner = [key for key in _INNER if key in value]
    others = value.keys() - set(_INNER) - _META
    if not inner or others or len(inner) > 2:
        return value
    name = next((key for key in inner if value[key] not in (None, "", [])), inner[0])
    if name == "results" or (name in {"data", "value"} and not isinstance(value[name], dict | str)):
        return value
    for key, each in value.items():
        if key != name:
            envelope.setdefault(key, each)
    return "" if value[name] is None else value[name]


def _block_text(block: Any) -> str | None:
    """Return the text of a content block; None if it is something else."""
    if not isinstance(block, dict):
        return None
    if block.get("type") in {"text", "output_text", "input_text"} and isinstance(
        block.get("text"), str
    ):
        return str(block["text"])
    return "" if block.get("type") in {"image", "audio", "resource_link"} else None


def _ends(text: str) -> list[str]:
    lines = [line for line in (text[:4_000] + "\n" + text[-4_000:]).splitlines() if line.strip()]
    return list(dict.fromkeys([*lines[:_ENDS], *lines[-_ENDS:]]))


def _exit_code(result: Mapping[str, Any], ends: list[str]) -> int | None:
    for place in (result, result.get("metadata")):
        if isinstance(place, dict):
            for key in _EXIT_KEYS:
                if isinstance(place.get(key), int) and not isinstance(place[key], bool):
                    return int(place[key])
    if ("stdout" in result or "stderr" in result) and isinstance(result.get("code"), int):
        return int(result["code"])
    found = [match for line in ends if (match := _EXIT_TEXT.search(line[:400]))]
    return int(found[-1][1]) if found else None


def _status(result: Mapping[str, Any], ends: list[str]) -> tuple[int | None, str]:
    for key in _STATUS_KEYS:
        given = result.get(key)
        number, phrase = given, ""
        if isinstance(given, str):
            head, _, phrase = given.partition(" ")
            number = int(head) if head.isascii() and head.isdigit() and len(head) == 3 else None
        if isinstance(number, int) and not isinstance(number, bool) and number in _PHRASES:
            words = phrase or result.get("statusText") or result.get("reason") or _PHRASES[number]
            return number, str(words)
    for line in ends[:2]:
        match = _STATUS_TEXT.search(line[:400])
        named = _PHRASES.get(int(match[1])) if match else None
        if match and named and _is_status(match, named):
            return int(match[1]), named
    return None, ""


def _is_status(match: regex.Match[str], phrase: str) -> bool:
    """Return whether a number is an HTTP status: labelled as one, or followed by its phrase."""
    before, _, words = match[0].casefold().partition(match[1])
    first = phrase.casefold().split()[0]
    return "http" in before or "status" in before or words.strip(" :-").startswith(first)


def _failed(result: Mapping[str, Any]) -> bool | None:
    for key, bad in (("isError", True), ("is_error", True), ("success", False), ("ok", False)):
        if isinstance(result.get(key), bool):
            return bool(result[key] is bad)
    return True if result.get("timed_out") is True or result.get("interrupted") is True else None


def _error(result: Mapping[str, Any]) -> Any:
    return result.get("error") or result.get("errors") or None
