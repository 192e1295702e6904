"""Sets of conversations with questions, as files: everword-bench/1, and the files that LongMemEval publishes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from everword.bench.dataset import Dataset, Query
from everword.bench.longmemeval import is_longmemeval, worlds_of_items
from everword.transcripts import (
    BENCH_FORMAT,
    Entry,
    TranscriptError,
    as_object,
    parse_json,
    read_conversation,
)
from everword.v1.ingest_service_pb2 import ConversationTarget

MAX_QUERY_BYTES = 8192
_SECOND = timedelta(seconds=1)
#: Fields of a conversation in a file of questions that transcripts do not have.
_OWN_FIELDS = frozenset({"language", "sessions_apart"})


@dataclass(frozen=True)
class BenchSet:
    """One file: datasets, each of which is put into a namespace of its own."""

    name: str
    #: SHA-256 of the file.
    digest: str
    datasets: tuple[Dataset, ...] = field(repr=False)


def read_sets(paths: Iterable[Path]) -> list[BenchSet]:
    """Return the sets of files. Raises TranscriptError if one is unreadable or two have the same name."""
    sets: list[BenchSet] = []
    for path in paths:
        read = read_set(path)
        if read.name in {each.name for each in sets}:
            raise TranscriptError(f"{path}: an earlier file is named {read.name!r} too")
        sets.append(read)
    return sets


def read_set(path: Path) -> BenchSet:
    """Return the set of a file, whose content determines the format. Raises TranscriptError."""
    content = path.read_bytes()
    document = parse_json(content, str(path))
    digest = hashlib.sha256(content).hexdigest()
    if is_longmemeval(document):
        datasets, name = worlds_of_items(document, str(path)), path.stem
    else:
        fields = as_object(document, f"{path}: it is not LongMemEval's list of questions, and")
        if fields.get("format") != BENCH_FORMAT:
            raise TranscriptError(f"{path}: its format is neither {BENCH_FORMAT} nor LongMemEval's")
        name = str(fields.get("name") or path.stem)
        conversations = as_list(fields, "conversations", str(path))
        datasets = [_world(as_object(each, str(path)), str(path)) for each in conversations]
    _check(datasets, path)
    return BenchSet(name, digest, tuple(datasets))


def as_list(fields: dict[str, Any], name: str, place: str) -> list[Any]:
    """Return a field that holds a list. Raises TranscriptError if it does not."""
    value = fields.get(name)
    if not isinstance(value, list):
        raise TranscriptError(f"{place}: {name} must be a list")
    return value


def _world(conversation: dict[str, Any], place: str) -> Dataset:
    name = conversation.get("conversation")
    if not isinstance(name, str) or not name:
        raise TranscriptError(f"{place}: a conversation has no name in `conversation`")
    where = f"{place}: conversation {name!r}"
    as_list(conversation, "messages", where)
    queries = [
        _query(as_object(each, f"{where}, query {number}"), f"{where}, query {number}")
        for number, each in enumerate(as_list(conversation, "queries", where), start=1)
    ]
    fields = {key: value for key, value in conversation.items() if key not in _OWN_FIELDS}
    entries = tuple(read_conversation(fields, place))
    if conversation.get("sessions_apart"):
        entries = tuple(map(_in_own_session, entries))
    return Dataset(name, entries, tuple(queries), str(conversation.get("language") or ""))


def _in_own_session(entry: Entry) -> Entry:
    """Return the message in a conversation that has the name of its session."""
    if "session" not in entry.message.metadata:
        raise TranscriptError(f"{entry.place}: it has no session, though sessions are apart")
    target = ConversationTarget.FromString(entry.target.SerializeToString())
    target.key.session_key = str(entry.message.metadata["session"])
    return replace(entry, target=target)


def _query(fields: dict[str, Any], place: str) -> Query:
    for name in ("id", "text", "category"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise TranscriptError(f"{place}: {name} must be a text that is not empty")
    if not isinstance(fields.get("answerable"), bool):
        raise TranscriptError(f"{place}: answerable must be true or false")
    relevant = as_list(fields, "relevant", place)
    if not all(isinstance(each, str) for each in relevant):
        raise TranscriptError(f"{place}: relevant must hold ids of messages")
    since, until = _time(fields, "since", place), _time(fields, "until", place)
    return Query(
        fields["id"],
        fields["text"],
        fields["category"],
        frozenset(relevant),
        fields["answerable"],
        tuple(map(str, fields.get("answers") or ())),
        (asked := _time(fields, "ask_time", place)) and asked + _SECOND,
        (since, until) if since and until else None,
        str(fields.get("session") or ""),
    )


def _time(fields: dict[str, Any], name: str, place: str) -> datetime | None:
    """Return a time of a question; None if the file does not say."""
    if not (text := fields.get(name)):
        return None
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except ValueError as error:
        raise TranscriptError(f"{place}: {name} must be a time in ISO 8601") from error


def _check(datasets: list[Dataset], path: Path) -> None:
    """Raise TranscriptError where a set would be measured wrongly."""
    if not datasets:
        raise TranscriptError(f"{path}: it holds no conversations")
    _require_unique([dataset.name for dataset in datasets], f"{path}: conversations")
    for dataset in datasets:
        place = f"{path}: conversation {dataset.name!r}"
        ids = [entry.message.external_id for entry in dataset.entries]
        if not ids:
            raise TranscriptError(f"{place}: it has no messages")
        _require_unique(ids, f"{place}: messages")
        _require_unique([query.id for query in dataset.queries], f"{place}: queries")
        sessions = {"", *(entry.target.key.session_key for entry in dataset.entries)}
        for query in dataset.queries:
            if missing := sorted(query.relevant - set(ids)):
                raise TranscriptError(
                    f"{place}: query {query.id!r} has {missing[0]!r} as relevant, which is no message of it"
                )
            if query.session not in sessions:
                raise TranscriptError(
                    f"{place}: query {query.id!r} is asked in {query.session!r}, which is no conversation of it"
                )
            if len(query.text.encode()) > MAX_QUERY_BYTES:
                raise TranscriptError(f"{place}: query {query.id!r} is longer than 8 KiB")


def _require_unique(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TranscriptError(f"{what}: {name!r} is there twice")
        seen.add(name)
