"""Decorators of V3 cards: the first lines of a content may say how an entry behaves. Pure."""

from __future__ import annotations

import re

#: A decorator with @@@ is a fallback for the unsupported decorator before it.
_DECORATOR = re.compile(r"\s*(@{2,3})([a-zA-Z_]+)[ \t]*(.*)")
_FALLBACK = "@@@"
_DEPTH = "scan_depth"
#: Decorators with a counterpart among the fields of an entry.
_COUNTERPARTS = (_DEPTH, "activate", "dont_activate")
_MOST_DIGITS = 8


def read_decorators(content: str) -> tuple[dict[str, int], list[str], str]:
    """Return the supported decorators with their values, messages about the others, and the content without any.

    Only `scan_depth` has a value; the value of others is 0.
    """
    found, left_out = dict[str, int](), dict[str, None]()
    rest, is_supported = content, False
    while match := _DECORATOR.match(rest):
        rest = rest[match.end() :]
        if match[1] == _FALLBACK and is_supported:
            continue
        name, value = match[2].lower(), match[3].strip()
        fault = _fault(name, value)
        is_supported = not fault
        if fault:
            left_out[fault] = None
        else:
            found[name] = int(value) if name == _DEPTH else 0
    return found, list(left_out), content if rest is content else rest.lstrip("\n\r")


def _fault(name: str, value: str) -> str:
    if name not in _COUNTERPARTS:
        return f"@@{name} has no counterpart"
    is_count = value.isdecimal() and len(value) <= _MOST_DIGITS
    return "" if name != _DEPTH or is_count else f"@@{name} must be a number, not {value[:80]!r}"
