"""Hindsight's transfer archive: a zip of `manifest.json` and a file for each document, with the facts found in it.

Documents stay documents. Facts, observations and mental models become notes of the bank's agent. Entities are labels;
links between facts and what is derived from them again are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from everword.formats.records import Record, day_of, digest, document, note
from everword.transcripts import AGAIN, Meter, Part, TranscriptError, as_object, json_parts


def reader(shape: frozenset[str]) -> object:
    """Return what reads a part of this shape, if it is one of Hindsight's archive."""
    if {"facts", "original_text"} <= shape:
        return read_document
    if {"item.text", "item.sources", "item.proof_count"} <= shape:
        return read_observations
    if {"item.source_query", "item.content", "item.bank_id"} <= shape:
        return read_mental_models
    return None


def read_document(part: Part) -> Iterator[Record]:
    """Yield a document, and a note for each of its facts. Raises TranscriptError."""
    bank = _bank(part)
    given = part.value()
    own = str(given.get("id") or digest(given.get("original_text")))
    chunks = [as_object(chunk, part.place) for chunk in given.get("chunks") or []]
    chunks.sort(key=lambda chunk: chunk.get("chunk_index") or 0)
    text = given.get("original_text") or "\n\n".join(str(each["chunk_text"]) for each in chunks)
    if text:
        yield document(own, text, part.place, tags=map(str, given.get("tags") or []), agent=bank)
    for number, each in enumerate(given.get("facts") or [], start=1):
        place = f"{part.place}: fact {number}"
        fact = as_object(each, place)
        kind = "experience" if fact.get("fact_type") == "experience" else "fact"
        yield from _note(fact, f"{own}\0{fact.get('text')}", bank, kind, place)


def read_observations(part: Part) -> Iterator[Record]:
    """Yield a note for each observation."""
    bank = _bank(part)
    for observation, place in part.items("item", "observation"):
        yield from _note(observation, str(observation.get("text")), bank, "observation", place)


def read_mental_models(part: Part) -> Iterator[Record]:
    """Yield a note for each mental model, under its name."""
    for model, place in part.items("item", "mental model"):
        if model.get("content"):
            bank = str(model["bank_id"])
            key = f"hindsight/{bank}/model/{model.get('name') or model.get('id')}"
            tags = map(str, model.get("tags") or [])
            content = str(model["content"])
            scope = {"agent": bank}
            yield note(key, content, place, kind="mental_model", tags=tags, scope=scope)


def _note(
    fact: dict[str, Any], identity: str, bank: str, kind: str, place: str
) -> Iterator[Record]:
    if fact.get("text"):
        since = fact.get("occurred_start") or fact.get("mentioned_at") or fact.get("event_date")
        tags = [day_of(since), *(fact.get("tags") or []), *(fact.get("entities") or [])]
        key = f"hindsight/{bank}/{digest(identity)}"
        text = str(fact["text"])
        yield note(key, text, place, kind=kind, tags=map(str, tags), scope={"agent": bank})


def _bank(part: Part) -> str:
    return _bank_of(part.archive)


@cache
def _bank_of(archive: Path) -> str:
    """Return the bank that an archive was made from, which its manifest names."""
    with json_parts(archive, Meter()) as parts:
        manifest = next((each for each in parts if each.name == "manifest.json"), None)
        if manifest is None:
            raise TranscriptError(f"{archive}: manifest.json is missing; {AGAIN}")
        return str(manifest.value().get("source_bank_id") or "")
