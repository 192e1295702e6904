"""Formatting of the parts of a sentence: short pieces on one line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

VALUE_CHARS = 120
_FIRST, _LAST = 400, 2_000


def one_line(text: str) -> str:
    return " ".join(text.split())


def shorten(text: str, max_chars: int) -> str:
    """Return `text` with […] in place of its middle if it is longer than `max_chars`."""
    if len(text) <= max_chars:
        return text
    retained = max_chars - len(" […] ")
    return f"{text[: retained - retained // 2].rstrip()} […] {text[len(text) - retained // 2 :].lstrip()}"


def quoted(text: str, max_chars: int = VALUE_CHARS) -> str:
    """Return `“text”` on one line. What is far too long is cut before its spaces are looked at."""
    beginning = text if len(text) < 16 * max_chars else shorten(text, 16 * max_chars)
    return f"“{shorten(one_line(beginning), max_chars)}”"


def shown(value: Any) -> str:
    """Return a JSON value as a part of a sentence: strings in quotes, the rest as JSON."""
    if isinstance(value, str):
        return quoted(value)
    try:
        return shorten(json.dumps(value, ensure_ascii=False), VALUE_CHARS)
    except RecursionError:
        return "a nested value"


def plain_scalar(value: Any) -> str:
    """Return a scalar as it is read: a short string without quotes, `yes` and `no` for booleans."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        text = one_line(value[:2_000])
        return text if len(text) <= 60 and not text.endswith(".") else quoted(text)
    return str(value)


def enumerated(named: Sequence[str]) -> str:
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def edge_lines(text: str) -> list[str]:
    """Return the lines of a text; of very many the first and the last, where tools say how it went."""
    lines = text.splitlines()
    return lines if len(lines) <= _FIRST + _LAST else [*lines[:_FIRST], *lines[-_LAST:]]


def counted(count: int, noun: str) -> str:
    """Return `1 row`, `37 rows`; `noun` is the plural."""
    if count != 1:
        return f"{count} {noun}"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return f"1 {noun[:-2]}"
    if noun.endswith("ies"):
        return f"1 {noun[:-3]}y"
    return f"1 {noun.removesuffix('s')}"
