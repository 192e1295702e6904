"""Results of the client: plain values, each with its proto."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from google.protobuf import json_format
from google.protobuf.timestamp_pb2 import Timestamp

from everword.client.kinds import Kind, kind_number, kind_word
from everword.v1 import (
    context_service_pb2,
    fact_pb2,
    memory_pb2,
    note_pb2,
    search_service_pb2,
    summary_pb2,
)

Role = Literal["user", "assistant", "system", "tool"]
#: A part of a line in a context that a caller can leave out.
ContextPart = Literal["kind", "date", "speaker", "relevance", "conversation"]


@dataclass(frozen=True)
class Message:
    """A message to append."""

    content: str
    role: Role = "user"
    author: str = ""
    time: datetime | None = None
    """When it was sent, with a time zone; the time of the append if None."""
    external_id: str = ""
    """The caller's own id: stored once in its conversation, however often it is sent."""
    tags: tuple[str, ...] = ()
    automated: bool = False
    """Whether nobody said it, as a heartbeat."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON, kept as it is."""

    def to_proto(self) -> memory_pb2.NewMessage:
        message = memory_pb2.NewMessage(
            content=self.content,
            role=memory_pb2.Role.Value(f"ROLE_{self.role.upper()}"),
            author=self.author,
            external_id=self.external_id,
            tags=self.tags,
            automated=self.automated,
            create_time=to_timestamp(self.time),
        )
        if self.metadata:
            message.metadata.update(self.metadata)
        return message


#: Values that can be appended. A plain text is a message of the user.
AnyMessage = Message | str | memory_pb2.NewMessage


@dataclass(frozen=True)
class Memory:
    """Something that is remembered: a message, a summary, a note, a fact, a part of a document."""

    id: str
    kind: str
    content: str
    """Its text; at most 2,000 characters where it comes from a search or from browsing."""
    time: datetime | None
    """When it happened, in UTC."""
    author: str
    role: str
    agent: str
    subject: str
    conversation_id: str
    conversation_label: str
    """A short name of its conversation for display; empty if it is from none."""
    summary_level: str
    """Of a summary: leaf, branch, root, day, week, month, year or significant; else empty."""
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    untrusted: bool
    """Whether it was said where anybody may write, or by a tool."""
    suspicious: bool
    """Whether it is untrusted, and speaks to a model as an order would."""
    proto: memory_pb2.Memory = field(repr=False, compare=False)

    @classmethod
    def of(cls, proto: memory_pb2.Memory) -> Memory:
        return cls(
            id=proto.id,
            kind=kind_word(proto.kind),
            content=proto.content,
            time=to_datetime(proto.occur_time),
            author=proto.author,
            role=_word(memory_pb2.Role.Name(proto.role), "ROLE_"),
            agent=proto.agent,
            subject=proto.subject,
            conversation_id=proto.conversation_id,
            conversation_label=proto.conversation_label,
            summary_level=_level(proto.summary_level),
            tags=tuple(proto.tags),
            metadata=json_format.MessageToDict(proto.metadata),
            untrusted=proto.untrusted,
            suspicious=proto.suspicious,
            proto=proto,
        )


@dataclass(frozen=True)
class Expansion:
    """A summary with its sources: summaries and messages. Each text has at most 300 characters."""

    id: str
    level: str
    """leaf, branch, root, day, week, month, year or significant."""
    content: str
    children: tuple[Expansion, ...]
    """At most five summaries that it was made from, in order."""
    sources: tuple[Memory, ...]
    """At most four messages that it was made from, in order."""
    omitted: int
    """Number of further direct sources."""
    proto: search_service_pb2.Expansion = field(repr=False, compare=False)

    @classmethod
    def of(cls, proto: search_service_pb2.Expansion) -> Expansion:
        summary = proto.summary
        return cls(
            id=summary.id,
            level=_level(summary.level),
            content=summary.content,
            children=tuple(map(cls.of, proto.children)),
            sources=tuple(map(Memory.of, proto.sources)),
            omitted=proto.omitted,
            proto=proto,
        )


@dataclass(frozen=True)
class Hit:
    """A memory that a search found."""

    memory: Memory
    score: float
    """From 0 to 1, by which results are in order."""
    relevance: float | None
    """How surely it is about the query, from 0 to 1; None without a calibration."""
    confidence: str
    """How surely it answers the query: none, low, medium or high; empty if the mode has no confidence."""
    passage: str
    """The part of it that matches best."""
    superseded: bool
    """Whether it says something that does not hold any more."""
    expansion: Expansion | None
    """The sources of a summary, two levels down; set for the first three summaries of a search."""
    proto: search_service_pb2.SearchResult = field(repr=False, compare=False)

    @classmethod
    def of(cls, proto: search_service_pb2.SearchResult) -> Hit:
        return cls(
            memory=Memory.of(proto.memory),
            score=proto.score,
            relevance=proto.relevance if proto.HasField("relevance") else None,
            confidence=_confidence(proto.confidence),
            passage=proto.passage,
            superseded=bool(proto.superseded),
            expansion=Expansion.of(proto.expansion) if proto.HasField("expansion") else None,
            proto=proto,
        )


class SearchHits(list[Hit]):
    """The results of a search, best first, and its verdict."""

    def __init__(self, proto: search_service_pb2.SearchResponse) -> None:
        super().__init__(map(Hit.of, proto.results))
        self.proto = proto

    @property
    def nothing_relevant(self) -> bool:
        """True if no result is likely to answer the query. The results are then only the nearest memories."""
        return self.proto.verdict == search_service_pb2.VERDICT_NOTHING_RELEVANT

    @property
    def confidence(self) -> str:
        """How surely one of the first ten results answers: none, low, medium or high; else empty."""
        return _confidence(self.proto.confidence)

    @property
    def corrections(self) -> dict[str, str]:
        """Misspelt words of the query, each with the word that was searched for instead."""
        return dict(self.proto.corrections)

    @property
    def completed_query(self) -> str:
        """The query with words from its conversation; empty if it was searched as it is."""
        return self.proto.completed_query


@dataclass(frozen=True)
class Context:
    """A context for an agent's prompt. `str(context)` is its text."""

    text: str
    token_count: int
    memories: tuple[Memory, ...]
    """What it holds that is a memory, in the order of the text."""
    proto: context_service_pb2.BuildContextResponse = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, proto: context_service_pb2.BuildContextResponse) -> Context:
        items = (item for block in proto.blocks for item in block.items)
        memories = tuple(Memory.of(item.memory) for item in items if item.HasField("memory"))
        return cls(proto.text, proto.token_count, memories, proto)


@dataclass(frozen=True)
class Turns:
    """A conversation within a model's context: its latest messages, and summaries in place of older ones."""

    summary: str
    """The summaries that replace the older messages; empty while all messages fit."""
    kept: tuple[Memory, ...]
    """Those of the replaced messages that a model should see whole: system messages and protected ones."""
    messages: tuple[memory_pb2.Message, ...]
    """The messages that follow, in order."""
    token_count: int
    """Tokens of all of it before this call, as far as senders gave them; estimated otherwise."""
    summary_ids: tuple[str, ...]


@dataclass(frozen=True)
class Note:
    """A note as it stands."""

    id: str
    key: str
    content: str
    version: int
    tags: tuple[str, ...]
    time: datetime | None
    """When this version was written, in UTC."""
    proto: note_pb2.Note = field(repr=False, compare=False)

    @classmethod
    def of(cls, proto: note_pb2.Note) -> Note:
        body = proto.body
        tags, time = tuple(body.tags), to_datetime(proto.update_time)
        return cls(proto.id, body.key, body.content, proto.version, tags, time, proto)


@dataclass(frozen=True)
class Fact:
    """A single thing that holds, or held."""

    id: str
    subject: str
    attribute: str
    value: str
    state: str
    """suspected, confirmed, established, rejected or closed."""
    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None
    proto: fact_pb2.Fact = field(repr=False, compare=False)

    @classmethod
    def of(cls, proto: fact_pb2.Fact) -> Fact:
        return cls(
            id=proto.id,
            subject=proto.subject,
            attribute=proto.attribute,
            value=proto.value,
            state=_word(fact_pb2.FactState.Name(proto.state), "FACT_STATE_"),
            confidence=proto.confidence,
            valid_from=to_datetime(proto.valid_from_time),
            valid_until=to_datetime(proto.valid_until_time),
            proto=proto,
        )


def to_message(message: AnyMessage) -> memory_pb2.NewMessage:
    """Return a message as a proto. A plain text is a message of the user."""
    if isinstance(message, str):
        message = Message(message)
    return message.to_proto() if isinstance(message, Message) else message


def to_datetime(time: Timestamp) -> datetime | None:
    """Return a time in UTC; None if unset."""
    return time.ToDatetime(UTC) if time.seconds or time.nanos else None


def to_timestamp(time: datetime | None) -> Timestamp | None:
    """Return a time with a zone as a proto. Raises ValueError without a zone."""
    if time is None:
        return None
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone: give it one, such as datetime.UTC")
    stamp = Timestamp()
    stamp.FromDatetime(time)
    return stamp


def filter_of(
    kinds: tuple[Kind, ...],
    subject: str,
    agent: str,
    authors: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    tags: tuple[str, ...] = (),
    task: str = "",
    address_prefix: str = "",
) -> memory_pb2.MemoryFilter:
    """Return which memories are looked at. Raises ValueError for a kind that there is not."""
    return memory_pb2.MemoryFilter(
        kinds=[kind_number(kind) for kind in kinds],
        subjects=[subject] if subject else [],
        agents=[agent] if agent else [],
        authors=authors,
        start_time=to_timestamp(since),
        end_time=to_timestamp(until),
        tags=tags,
        task_ids=[task] if task else [],
        address_prefix=address_prefix,
    )


def _confidence(confidence: search_service_pb2.Confidence.ValueType) -> str:
    return _word(search_service_pb2.Confidence.Name(confidence), "CONFIDENCE_")


def _level(level: summary_pb2.SummaryLevel.ValueType) -> str:
    return _word(summary_pb2.SummaryLevel.Name(level), "SUMMARY_LEVEL_")


def _word(name: str, prefix: str) -> str:
    """Return the name of an enum's value as a word; empty if unspecified."""
    word = name.removeprefix(prefix).lower()
    return "" if word == "unspecified" else word
