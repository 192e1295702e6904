"""Make passages of texts: one builder for each form that a text has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from everword.domain.documents import BETWEEN_HEADINGS
from everword.domain.memory_kinds import MemoryKind
from everword.domain.times import local_time
from everword.index.passages import IndexedPassage, IndexedSource
from everword.text.lexemes import index_vector
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import IN_DOCUMENT, ONLY_HEADING, message_traits, pack_record

#: Part number of text that was derived for a memory, and is no part of its own text.
DERIVED_PART = -1
#: Passages and characters that are written together: the event loop is held for some milliseconds while they are sent.
_PORTION_PASSAGES = 500
_PORTION_CHARS = 500_000


@dataclass(frozen=True)
class Language:
    """The language and time zone in which a namespace's texts are read."""

    #: A text search configuration of Postgres.
    text_search_config: str
    #: An IANA name: days are named as people there name them.
    time_zone: str

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


def build_passages(
    source: IndexedSource, text: str, language: Language, title: str = ""
) -> Iterator[IndexedPassage]:
    """Yield the passages of a memory's text, in order; an empty text has one.

    Each is found and ranked by the words of `title` too, which is no part of the text.
    """
    uttered_at = local_time(source.occurred_at, language.zone)
    traits = message_traits(text)
    is_chunk = source.kind == MemoryKind.CHUNK
    is_in_title = is_chunk and title.endswith(f"{BETWEEN_HEADINGS}{text.strip()}")
    if is_chunk:
        flags = IN_DOCUMENT | (ONLY_HEADING if is_in_title else 0)
        traits = replace(traits, flags=traits.flags | flags)
    for part, content in enumerate(split_passages(text, traits.words)):
        # A heading without text is indexed once, as other headings are.
        named = title if is_in_title else f"{title}\n{content}" if title else content
        yield IndexedPassage(
            source,
            part,
            content,
            index_vector(named, source.author, uttered_at, language.text_search_config),
            literals_of(named),
            pack_record(named, traits, language.text_search_config),
        )


def build_derived_passage(
    source: IndexedSource, text: str, words: str, language: Language
) -> IndexedPassage:
    """Return the passage of a description for a memory whose text is not readable, such as a tool call.

    Traits are the memory's: they describe the author, not the passage.
    """
    return IndexedPassage(
        source,
        DERIVED_PART,
        words,
        index_vector(
            words,
            source.author,
            local_time(source.occurred_at, language.zone),
            language.text_search_config,
        ),
        literals_of(words),
        pack_record(words, message_traits(text), language.text_search_config),
    )


def next_batch(passages: Iterator[IndexedPassage]) -> list[IndexedPassage]:
    """Return the next passages to write together; none at the end."""
    batch: list[IndexedPassage] = []
    chars = 0
    for passage in passages:
        batch.append(passage)
        chars += len(passage.content) + len(passage.lexemes)
        if len(batch) >= _PORTION_PASSAGES or chars >= _PORTION_CHARS:
            break
    return batch
