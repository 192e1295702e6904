"""Finds the error message in a result: in a body, a traceback's last line, or a line of a shell or compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import regex

from everword_compactor.outcomes.phrases import edge_lines, one_line, quoted, shorten

_MESSAGE_KEYS = (
    "message",
    "error_description",
    "detail",
    "msg",
    "error",
    "errors",
    "reason",
    "title",
    "description",
)
_PLACE_KEYS = ("loc", "field", "param", "path", "pointer", "property")
_DEPTH = 5
_AT = regex.compile(r'\s*File "([^"]+)", line (\d+)')
_TELLS = regex.compile(
    r"(?:<tool_use_error>|\[?(?:npm |yarn )?)?(?:error\b|err!|fatal|failed|failure|panic|exception|uncaught|unhandled|"
    r"cannot|could not|unable to|permission denied|no such file|access denied|traceback|segmentation fault|killed|"
    r"string to replace not found|no match|no replacement|no changes? (?:was|were)|"
    r"did not|does not|hunk |patch failed|not found|invalid|timeout|timed out|command not found|E   )",
    regex.IGNORECASE,
)
_WITHIN = regex.compile(
    r": (?:command not found|No such file or directory|Permission denied|not found)$|\berror(?:\[\w+\])?: |\bERROR\b|"
    r"\bFATAL\b|\btimed out\b|\bCONFLICT \(|error TS\d+|Connection refused|^E\s{3,}",
)
_CHARS = 180


def body_message(value: Any, depth: int = 0) -> str:
    """Return the error message in a JSON body: `body.quantity: Input should be greater than 0`."""
    if depth > _DEPTH:
        return ""
    if isinstance(value, str):
        return one_line(value[:2_000])
    if isinstance(value, list):
        pieces = [body_message(each, depth + 1) for each in value[:2]]
        more = f" and {len(value) - 2} more" if len(value) > 2 else ""
        return "; ".join(filter(None, pieces)) + more if any(pieces) else ""
    if not isinstance(value, dict):
        return ""
    for key in _MESSAGE_KEYS:
        told = body_message(value.get(key), depth + 1) if key in value else ""
        if told:
            place = next((value[name] for name in _PLACE_KEYS if value.get(name)), "")
            where = ".".join(map(str, place)) if isinstance(place, list) else str(place)
            return f"{where}: {told}" if where and where not in told else told
    return _by_field(value, depth)


def text_error(text: str, *, went_wrong: bool) -> str:
    """Return the line of a text with the error; empty without one.

    Unless the call is known to have failed, only a text that begins with an error or has a traceback counts.
    """
    lines = [line for line in edge_lines(text) if line.strip()]
    if not lines:
        return ""
    if raised := _error_of(lines):
        return raised
    first = one_line(lines[0][:1_000])
    # Prose may begin with such a word, too.
    if _TELLS.match(first) and (went_wrong or len(lines) < 4 or ":" in first[:60]):
        return shorten(
            first.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>"), _CHARS
        )
    for line in lines:
        if _WITHIN.search(line[:1_000]) and (went_wrong or len(lines) < 4):
            return shorten(one_line(line[:1_000]), _CHARS)
    if went_wrong:
        telling = [line for line in lines if _TELLS.match(line.strip()[:200])]
        return shorten(one_line((telling or lines)[-1][:1_000]), _CHARS)
    return ""


def _error_of(lines: Sequence[str]) -> str:
    """Return the exception at the end of a traceback of Python, Node or Java, and its location."""
    starts = [
        place
        for place, line in enumerate(lines)
        if line.lstrip().startswith("Traceback (most recent")
    ]
    if not starts:
        return ""
    where = ""
    for line in lines[starts[-1] + 1 :]:
        if match := _AT.match(line):
            where = f" ({match[1]}, line {match[2]})"
        elif line[:1].strip() and _is_name(line.partition(":")[0].strip()):
            return shorten(one_line(line[:1_000]), _CHARS) + where
    return ""


def _is_name(text: str) -> bool:
    return text.replace(".", "_").isidentifier()


def _by_field(value: dict[Any, Any], depth: int) -> str:
    """Return `quantity: must be positive` of errors that are named by their fields."""
    for key, each in list(value.items())[:3]:
        if isinstance(each, list) and each and isinstance(each[0], str):
            return f"{key}: {one_line(each[0][:1_000])}"
        if isinstance(each, dict) and (told := body_message(each, depth + 1)):
            return told
    return ""


def error_summary(message: str) -> str:
    return quoted(message, _CHARS) if message else ""
