"""Hindsight's transfer archive: a zip of `manifest.json` and a file for each document, with the facts of each.

Documents stay documents. Facts, observations and mental models become notes of the bank's agent. Entities become tags;
links between facts, and data derived from them, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from everword.formats.records import Record, day_of, digest, document, note
from everword.transcripts import (
    AGAIN,
    Meter,
    Part,
    RecordError,
    TranscriptError,
    as_object,
    json_parts,
    list_in,
    name_in,
    text_in,
    texts_in,
)


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not Hindsight's."""
    if shape & {"facts", "original_text"}:
        return read_document
    if {"item.text", "item.sources", "item.proof_count"} <= shape:
        return read_observations
    if {"item.source_query", "item.content", "item.bank_id"} <= shape:
        return read_mental_models
    return None


def read_document(part: Part) -> Iterator[Record]:
    """Yield a document, and a note for each of its facts. Raises TranscriptError if the archive is damaged."""
    bank, meter, place = _bank(part), part.meter, part.place
    given = dict[str, Any]()
    own = ""
    with meter.skipping(place):
        given = part.value()
        own = name_in(given, "id", place) or digest(given.get("original_text"))
        if text := text_in(given, "original_text", place) or _joined(given, place):
            yield document(own, text, place, tags=texts_in(given, "tags", place), agent=bank)
    facts = list[Any]()
    with meter.skipping(f"{place}: facts"):
        facts = list_in(given, "facts", place) if own else []
    for number, each in enumerate(facts, start=1):
        where = f"{place}: fact {number}"
        with meter.skipping(where):
            fact = as_object(each, where)
            kind = "experience" if fact.get("fact_type") == "experience" else "fact"
            yield _note(fact, f"{own}\0{fact.get('text')}", bank, kind, where)


def _joined(given: dict[str, Any], place: str) -> str:
    """Return the text of a document's chunks. Raises RecordError."""
    chunks = [as_object(chunk, f"{place}: chunk") for chunk in list_in(given, "chunks", place)]
    chunks.sort(key=lambda chunk: chunk.get("chunk_index") or 0)
    return "\n\n".join(text_in(each, "chunk_text", place) for each in chunks)


def read_observations(part: Part) -> Iterator[Record]:
    """Yield a note for each observation."""
    bank = _bank(part)
    for observation, place in part.items("item", "observation"):
        with part.meter.skipping(place):
            yield _note(observation, str(observation.get("text")), bank, "observation", place)


def read_mental_models(part: Part) -> Iterator[Record]:
    """Yield a note for each mental model, under its name."""
    for model, place in part.items("item", "mental model"):
        with part.meter.skipping(place):
            bank = name_in(model, "bank_id", place)
            own = text_in(model, "name", place) or name_in(model, "id", place)
            content = text_in(model, "content", place)
            for name, value in (("bank_id", bank), ("name", own), ("content", content)):
                if not value:
                    raise RecordError(place, f"it has no {name}")
            tags = texts_in(model, "tags", place)
            key = f"hindsight/{bank}/model/{own}"
            scope = {"agent": bank}
            yield note(key, content, place, kind="mental_model", tags=tags, scope=scope)


def _note(fact: dict[str, Any], identity: str, bank: str, kind: str, place: str) -> Record:
    text = text_in(fact, "text", place)
    if not text:
        raise RecordError(place, "it has no text")
    since = fact.get("occurred_start") or fact.get("mentioned_at") or fact.get("event_date")
    tags = [
        day_of(since, place),
        *texts_in(fact, "tags", place),
        *texts_in(fact, "entities", place),
    ]
    key = f"hindsight/{bank}/{digest(identity)}"
    return note(key, text, place, kind=kind, tags=tags, scope={"agent": bank})


def _bank(part: Part) -> str:
    return _bank_of(part.archive)


@cache
def _bank_of(archive: Path) -> str:
    """Return the bank that an archive was made from, which its manifest names."""
    with json_parts(archive, Meter()) as parts:
        manifest = next((each for each in parts if each.name == "manifest.json"), None)
        if manifest is None:
            raise TranscriptError(f"{archive}: manifest.json is missing; {AGAIN}")
        return name_in(manifest.value(), "source_bank_id", manifest.place)
