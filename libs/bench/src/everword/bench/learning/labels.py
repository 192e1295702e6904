"""Files of labelled conversations in the format everword-learning/1."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from everword.bench.native_format import as_list
from everword.transcripts import (
    Entry,
    TranscriptError,
    as_object,
    parse_json,
    read_conversation,
    text_in,
    texts_in,
)

LEARNING_FORMAT = "everword-learning/1"
#: Fields of a conversation that only this benchmark reads.
_LABEL_FIELDS = frozenset({"kind", "language", "time_zone", "facts", "traps", "updates"})


@dataclass(frozen=True)
class LearningLabel:
    """A statement about a subject, in all accepted forms."""

    #: None matches any subject.
    subject: str | None
    #: Accepted attributes, the preferred one first; empty for any attribute.
    attributes: tuple[str, ...]
    #: Accepted values, the preferred one first.
    values: tuple[str, ...]
    #: Numbers of the messages that are the evidence, from 1.
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExpectedFact(LearningLabel):
    """A fact that the conversation states."""

    #: False if it is correct to learn the fact, and correct to ignore it.
    required: bool = True
    #: Beginning of the ISO date from which the fact is valid; empty if the conversation does not state one.
    since: str = ""


@dataclass(frozen=True)
class Trap(LearningLabel):
    """A statement that must not be learned."""

    #: The reason: `guess`, `quotation`, `other_person`, `agent_suggestion`, …
    kind: str = ""


@dataclass(frozen=True)
class Update:
    """A value that another one replaces in the course of the conversation."""

    old: LearningLabel
    #: None if the value ends without a new one.
    current: LearningLabel | None


@dataclass(frozen=True)
class Session:
    """A conversation with its labels."""

    name: str
    #: The subject of the conversation; empty for a group.
    user: str
    time_zone: str
    entries: tuple[Entry, ...] = field(repr=False)
    facts: tuple[ExpectedFact, ...] = field(repr=False)
    traps: tuple[Trap, ...] = field(repr=False)
    updates: tuple[Update, ...] = field(repr=False)


@dataclass(frozen=True)
class LearningSet:
    """One file."""

    name: str
    #: SHA-256 of the file.
    digest: str
    #: Accepted synonyms of each attribute.
    synonyms: Mapping[str, Sequence[str]] = field(repr=False)
    sessions: tuple[Session, ...] = field(repr=False)


def sample_set() -> Path:
    """Return the path of the sample set."""
    return Path(str(files("everword.bench.learning") / "sample.json"))


def read_learning_set(path: Path) -> LearningSet:
    """Return the set in a file. Raises TranscriptError."""
    content, place = path.read_bytes(), str(path)
    document = as_object(parse_json(content, place), place)
    if document.get("format") != LEARNING_FORMAT:
        raise TranscriptError(f"{place}: its format is not {LEARNING_FORMAT}")
    listed = as_object(document.get("attributes") or {}, f"{place}: attributes")
    sessions = [
        _session(as_object(each, place), place) for each in as_list(document, "sessions", place)
    ]
    if not sessions:
        raise TranscriptError(f"{place}: it has no sessions")
    return LearningSet(
        str(document.get("name") or path.stem),
        hashlib.sha256(content).hexdigest(),
        {name: texts_in(listed, name, f"{place}: attributes") for name in listed},
        tuple(sessions),
    )


def _session(fields: dict[str, Any], place: str) -> Session:
    name = text_in(fields, "conversation", place)
    where = f"{place}: conversation {name!r}"
    conversation = {key: each for key, each in fields.items() if key not in _LABEL_FIELDS}
    entries = tuple(read_conversation(conversation, place))
    if not entries:
        raise TranscriptError(f"{where}: it has no messages")

    def labels(kind: str) -> list[tuple[dict[str, Any], str]]:
        numbered = enumerate(as_list(fields, kind, where), start=1)
        places = ((each, f"{where}, {kind} {number}") for number, each in numbered)
        return [(_checked(as_object(each, at), len(entries), at), at) for each, at in places]

    return Session(
        name,
        text_in(fields, "subject", where),
        text_in(fields, "time_zone", where),
        entries,
        tuple(_fact(each, at) for each, at in labels("facts")),
        tuple(
            Trap(**_parts(each, "values", at), kind=text_in(each, "kind", at))
            for each, at in labels("traps")
        ),
        tuple(_update(each, at) for each, at in labels("updates")),
    )


def _checked(fields: dict[str, Any], messages: int, place: str) -> dict[str, Any]:
    """Return the fields of a label. Raises TranscriptError if its evidence is not in the conversation."""
    numbers = as_list(fields, "evidence", place)
    if not all(isinstance(each, int) and 1 <= each <= messages for each in numbers):
        raise TranscriptError(f"{place}: evidence must hold numbers of messages, 1 to {messages}")
    return fields


def _fact(fields: dict[str, Any], place: str) -> ExpectedFact:
    required = fields.get("required", True)
    if not isinstance(required, bool):
        raise TranscriptError(f"{place}: required must be true or false")
    parts = _parts(fields, "values", place)
    return ExpectedFact(**parts, required=required, since=text_in(fields, "since", place))


def _update(fields: dict[str, Any], place: str) -> Update:
    current = texts_in(fields, "current", place)
    return Update(
        LearningLabel(**_parts(fields, "old", place)),
        LearningLabel(**_parts(fields, "current", place)) if current else None,
    )


def _parts(fields: dict[str, Any], values: str, place: str) -> dict[str, Any]:
    if not (accepted := texts_in(fields, values, place)):
        raise TranscriptError(f"{place}: {values} must not be empty")
    return {
        "subject": text_in(fields, "subject", place) or None,
        "attributes": tuple(texts_in(fields, "attributes", place)),
        "values": tuple(accepted),
        "evidence": tuple(fields["evidence"]),
    }
