"""Verify an answer against the memories that it cites, and mark unsupported sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC
from functools import cache, cached_property

import regex

from everword.domain.records import MemoryRecord
from everword.text.statements.clauses import DAY_BEFORE_MONTH, stems_of
from everword.text.statements.contradictions import find_contradicted_clauses
from everword.text.statements.obeyed_orders import find_obeyed_sentences
from everword.text.statements.sources import StatedSource, Statements
from everword.text.values.evidence import Evidence, find_values
from everword_search.answers.prompt import PromptMemory, read_citations, without_citations

#: Maximum number of values and statements listed as unsupported.
MAX_UNSUPPORTED = 50
#: Appended to a sentence that no cited memory supports.
MARK = " [unsupported]"
# A sentence with the citations after its full stop, and the whitespace up to the next sentence.
_SENTENCE = regex.compile(
    rf"(?P<said>(?:(?![.!?…。！？](?!{DAY_BEFORE_MONTH})(?:\s|$)|[。！？]|\n).)++)"
    r"(?P<end>[.!?…。！？]*+(?:[ \t]*+\[[0-9]{1,4}\])*+\s*+)",
    regex.DOTALL | regex.IGNORECASE,
)
_ROLES = {2: "user", 3: "assistant"}
#: Smallest share of a sentence's words in the memory that is cited for it, and their smallest number.
_CITED_SHARE, _CITED_WORDS = 0.5, 2
#: Memories that are compared with a sentence without a citation: reading a long one takes a tenth of a second.
_CANDIDATES = 3


@dataclass(frozen=True)
class CitedAnswer:
    """An answer with added citations, and with its unsupported sentences marked."""

    text: str
    #: Positions of the cited memories, from 1.
    cited: Set[int]
    #: Unsupported numbers, dates, names, quotations and statements.
    unsupported: Sequence[str]


def check_answer(answer: str, query: str, shown: Sequence[PromptMemory]) -> CitedAnswer:
    """Return the answer with missing citations, and `[unsupported]` at the end of each unsupported sentence.

    A sentence is supported by the memories that it cites, or by any other ones that were shown; these are cited then. A
    sentence without citations gets that of the memory that has most of its words. Repeating the question is allowed. A
    sentence that follows an instruction in a shown memory is always marked.
    """
    contents = (each.memory.content for each in shown)
    obeyed = list(find_obeyed_sentences(without_citations(answer), contents))
    # Reading long memories takes time, and many sentences cite the same ones.
    support = cache(
        lambda numbers: _Support(query, [shown[number - 1] for number in sorted(numbers)])
    )
    everything = support(frozenset(range(1, len(shown) + 1)))
    words = [stems_of(each.memory.content.casefold()) for each in shown]
    pieces: list[str] = []
    unsupported: list[str] = []
    all_cited: set[int] = set()
    for match in _SENTENCE.finditer(answer):
        _, cited = read_citations(match[0], len(shown))
        said = without_citations(match[0]).strip()
        wrong = support(frozenset(cited)).missing(said)
        added = ""
        if wrong or not cited:
            wrong = everything.missing(said)
            number = 0 if wrong else _nearest(said, support, words)
            if number and number not in cited:
                added, cited = f" [{number}]", {*cited, number}
        wrong += [sentence for sentence in obeyed if sentence in said]
        pieces += [match["said"], MARK if wrong else added, match["end"]]
        unsupported += wrong
        all_cited |= cited
    marked = "".join(pieces) or answer
    return CitedAnswer(marked, all_cited, list(dict.fromkeys(unsupported))[:MAX_UNSUPPORTED])


def _nearest(
    said: str, support: Callable[[frozenset[int]], _Support], words: Sequence[frozenset[str]]
) -> int:
    """Return the position, from 1, of the memory that a sentence comes from; 0 if none clearly is it.

    It has all values of the sentence, or most of its words.
    """
    own = stems_of(said.casefold())
    by_words = sorted(range(len(words)), key=lambda place: -len(own & words[place]))
    if find_values(said):
        for place in by_words[:_CANDIDATES]:
            if not support(frozenset({place + 1})).missing(said):
                return place + 1
        return 0
    best = by_words[0] if by_words else 0
    enough = max(_CITED_WORDS, _CITED_SHARE * len(own))
    return best + 1 if by_words and len(own & words[best]) >= enough else 0


class _Support:
    """The values and statements of memories, read when they are needed first."""

    def __init__(self, query: str, shown: Sequence[PromptMemory]) -> None:
        self._query, self._shown = query, shown

    def missing(self, said: str) -> list[str]:
        """Return the values and statements of a sentence that are not supported."""
        missing = [value.text for value in self._evidence.missing(find_values(said))]
        return missing + list(find_contradicted_clauses(said, self._statements))

    @cached_property
    def _evidence(self) -> Evidence:
        memories = [each.memory for each in self._shown]
        # The prompt also stated which attributes are outdated and since when, so that counts as evidence.
        ended = [" ".join(mark.values()) for each in self._shown for mark in each.superseded]
        return Evidence(
            [self._query, *(memory.content for memory in memories), *ended],
            [memory.occurred_at.astimezone(UTC) for memory in memories],
            labels=[
                name
                for memory in memories
                for name in (memory.author, memory.agent, memory.channel, memory.instance)
            ],
        )

    @cached_property
    def _statements(self) -> Statements:
        return Statements(_stated_source(each.memory) for each in self._shown)


def _stated_source(memory: MemoryRecord) -> StatedSource:
    called = memory.agent if memory.role == 3 else memory.author
    return StatedSource(
        memory.content, [name for name in (_ROLES.get(memory.role, ""), called) if name]
    )
