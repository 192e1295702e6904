"""Answers of the stub as a language model: verbatim lines of the prompt.

The compactor checks answers for invented statements; verbatim lines pass, so no node is requested twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]
#: Every fourth line is left out: the compactor asks again about a node with more than .3 of its sources left out.
LEFT_OUT_EVERY = 4
_SOURCES = re.compile(r"<<<SOURCES (\w+)\n(.*)\nSOURCES \1>>>", re.DOTALL)
#: No line of a source looks like one: those are indented.
_HEADER = re.compile(r"^\[#\d+ (.*)\]$", re.MULTILINE)
_TOOL = re.compile(r"^ +tool: (\S+)", re.MULTILINE)
_TAGS = re.compile(r"\s*\[(?:chat|via):[^\]]*\]")
#: Prefixes of the short names of conversations and instances, by the attribute of a bullet that lists them.
_NAMED = {"chats": ("chat", "c"), "via": ("via", "i")}


def answer(body: Body) -> str:
    """Return the answer to a request of OpenAI's chat API: JSON in the requested form, or a text."""
    form = body.get("response_format") or {}
    properties = form.get("json_schema", {}).get("schema", {}).get("properties", {})
    shown = "".join(each["content"] for each in body["messages"] if each["role"] == "user")
    if "sentence" in properties:
        return json.dumps({"sentence": _sentence(shown)})
    if "bullets" in properties:
        return json.dumps({"bullets": [_bullet(*line) for line in _quoted(shown)]})
    if "summary" in properties:
        longest = properties["summary"].get("maxLength", len(shown))
        return json.dumps(
            {"summary": _within([f"- {text}" for _, text in _quoted(shown)], longest)}
        )
    return "Yes."


def _within(lines: list[str], longest: int) -> str:
    """Return lines from all over, as many as fit."""
    for step in range(1, len(lines) + 1):
        if len(text := "\n".join(lines[::step])) <= longest:
            return text
    return ""


def _sentence(shown: str) -> str:
    found = _TOOL.search(shown)
    return f"Called the tool {found[1] if found else 'that was asked for'}."


def _bullet(header: str, text: str) -> Body:
    """Return a line of a day, with the short names that its source's header has, or else it has itself."""
    named = {
        field: re.findall(rf" ({letter}\d+)\b", header)[-1:]
        or re.findall(rf"\[{kind}:({letter}\d+)\]", text)
        for field, (kind, letter) in _NAMED.items()
    }
    return {"text": _TAGS.sub("", text), **named}


def _quoted(shown: str) -> list[tuple[str, str]]:
    return [line for place, line in enumerate(_lines(shown), 1) if place % LEFT_OUT_EVERY]


def _lines(shown: str) -> Iterator[tuple[str, str]]:
    """Yield each line of the sources, with the header of its source."""
    found = _SOURCES.search(shown)
    _, *pieces = _HEADER.split(found[2]) if found else [""]
    for header, text in zip(pieces[::2], pieces[1::2], strict=True):
        for line in text.splitlines():
            if line.strip():
                yield header, line.strip().removeprefix("- ")
