"""A model that repeats its sources faithfully: its answers at each level."""

from __future__ import annotations

import re

from support.scripted_chat import Body, Reply, answer, schema_of, user_text
from support.tool_calls import path_in

#: Part of the prompt for merging partial summaries of a node that is too long for one request.
MERGING = "too long to be read at once"
_SOURCES = re.compile(r"<<<SOURCES (\w+)\n(.*)\nSOURCES \1>>>", re.DOTALL)
_HEADER = re.compile(r"^\[#\d+ (.*)\]$", re.MULTILINE)
_TAGS = re.compile(r"\s*\[(?:chat|via):[^\]]*\]")


def faithful(request: Body) -> Reply:
    return answer(said_of(request))


def said_of(request: Body) -> str | Body:
    """Return a faithful model's answer: one line per message, and every line of existing summaries."""
    schema = schema_of(request)
    if schema is None:
        return "Yes."
    if "sentence" in schema["properties"]:
        return {"sentence": f"Consulted {path_in(request)} for the login routine."}
    if "bullets" in schema["properties"]:
        return {
            "bullets": [bullet for source in sources_in(request) for bullet in _bullets(source)]
        }
    return {"summary": "\n".join(line for _, lines in sources_in(request) for line in lines)}


def level_of(request: Body) -> str:
    """Return the name of the requested schema, such as `leaf` or `tool-sentence`; empty if the request has none."""
    asked = request.get("response_format")
    return str(asked["json_schema"]["name"]) if asked else ""


def sources_in(request: Body) -> list[tuple[str, list[str]]]:
    """Return header and lines of each source in a request for a summary; lines begin with `- `."""
    found = _SOURCES.search(user_text(request))
    assert found
    _, *pieces = _HEADER.split(found[2])
    return [
        (
            header,
            [f"- {line.strip().removeprefix('- ')}" for line in body.split("\n") if line.strip()],
        )
        for header, body in zip(pieces[::2], pieces[1::2], strict=True)
    ]


def _bullets(source: tuple[str, list[str]]) -> list[Body]:
    header, lines = source
    return [
        {
            "text": _TAGS.sub("", line),
            "chats": re.findall(r"\[chat:(c\d+)\]", line) or re.findall(r" (c\d+)\b", header),
            "via": re.findall(r"\[via:(i\d+)\]", line) or re.findall(r" (i\d+)\b", header),
        }
        for line in lines
    ]
