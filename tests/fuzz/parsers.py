"""Parsers of external text, for a guided fuzzer.

A target returns, or raises the documented errors of its parser; any other error is a fault.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from everword.chat.answers import answer_of
from everword.chat.errors import ChatError
from everword.chat.model import ChatRequest
from everword.chat.reply import Reply
from everword.cli.times import parse_time
from everword.domain.errors import InvalidConsistencyToken, InvalidPageToken
from everword.domain.tokens import ConsistencyToken, ResumeToken
from everword.formats import open_reading
from everword.text.statements.contradictions import misstatements
from everword.text.statements.sources import StatedSource
from everword.text.values.evidence import Evidence, find_values
from everword.transcripts.errors import TranscriptError
from everword_compactor.compose.checks import tags
from everword_compactor.compose.extractive.bullets import parse_lines
from everword_compactor.outcomes.result import read_result
from everword_search.retrieval.query.query import parse_operands, parse_words
from fuzz.sleep_inputs import read_sleep

NOW = datetime(2026, 5, 4, tzinfo=UTC)
_SECRET = b"0123456789abcdef"
_SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "object", "required": ["value"]}}},
}
_ASKED = [
    ChatRequest("fuzz", "", "", 100),
    ChatRequest("fuzz", "", "", 100, schema=_SCHEMA),
]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def read_query(data: bytes) -> None:
    parse_words(_text(data))
    for clause in parse_operands(_text(data)).filters:
        assert clause.operands


def read_tokens(data: bytes) -> None:
    for read in (ConsistencyToken.read, ResumeToken.read):
        try:
            read(_SECRET, _text(data), 1)
        except (InvalidConsistencyToken, InvalidPageToken):
            continue
        raise AssertionError("a token that nobody issued is taken")


def read_answer(data: bytes) -> None:
    for request in _ASKED:
        reply = Reply(finish_reason="stop", _content=[_text(data)])
        try:
            answer_of(request, reply, "m").text.encode()
        except ChatError:
            continue


def read_summary(data: bytes) -> None:
    text = _text(data)
    list(parse_lines(text))
    for change in (tags.group_bullets, tags.spread_tags, tags.strip_chat_tags, tags.strip_tags):
        change(text)
    assert not tags.tags_in(tags.defuse_tags(text))


def read_statements(data: bytes) -> None:
    """Check a model's text, the first part, against its source, the second."""
    said, _, source = _text(data).partition("\n\n")
    for sentence in misstatements(said, [StatedSource(source, ["user", "Emi"])]):
        assert sentence
    Evidence([source], [NOW], labels=["Emi"]).missing(find_values(said))


def read_tool_result(data: bytes) -> None:
    read_result(_text(data))


def read_time(data: bytes) -> None:
    try:
        parse_time(_text(data), NOW)
    except ValueError:
        return


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="everword-fuzz-"))


def read_import(data: bytes) -> None:
    for name in ("a.json", "a.jsonl"):
        path = _folder() / name
        path.write_bytes(data)
        try:
            for _ in open_reading(str(path)).records:
                pass
        except TranscriptError:
            continue


TARGETS: dict[str, Callable[[bytes], None]] = {
    "query": read_query,
    "tokens": read_tokens,
    "answer": read_answer,
    "summary": read_summary,
    "statements": read_statements,
    "sleep": read_sleep,
    "tool-result": read_tool_result,
    "time": read_time,
    "import": read_import,
}
