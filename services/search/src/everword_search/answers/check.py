"""Verify an answer against the memories that it cites, and mark unsupported sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC

import regex

from everword.domain.records import MemoryRecord
from everword.text.statements.contradictions import misstatements
from everword.text.statements.obeyed_orders import find_obeyed_sentences
from everword.text.statements.sources import StatedSource
from everword.text.values.evidence import Evidence, find_values
from everword_search.answers.prompt import PromptMemory, read_citations, without_citations

#: Maximum number of values and statements listed as unsupported.
MAX_UNSUPPORTED = 50
#: Appended to a sentence that no cited memory supports.
MARK = " [unsupported]"
# A sentence with the citations after its full stop, and the whitespace up to the next sentence.
_SENTENCE = regex.compile(
    r"(?P<said>(?:(?![.!?…。！？](?:\s|$)|[。！？]|\n).)++)(?P<end>[.!?…。！？]*+(?:[ \t]*+\[[0-9]{1,4}\])*+\s*+)",
    regex.DOTALL,
)
_ROLES = {2: "user", 3: "assistant"}


@dataclass(frozen=True)
class CitedAnswer:
    """An answer with its unsupported sentences marked."""

    text: str
    #: Unsupported numbers, dates, names, quotations and statements.
    unsupported: Sequence[str]


def check_answer(
    answer: str, query: str, shown: Sequence[PromptMemory], cited: Set[int]
) -> CitedAnswer:
    """Return the answer with `[unsupported]` at the end of each sentence that its memories do not support.

    `cited` are 1-based positions in `shown`. A sentence must be supported by the memories that it cites; a sentence
    without citations by any that the answer cites. Repeating the question is allowed. A sentence that follows an
    instruction in a shown memory is always marked.
    """
    contents = (each.memory.content for each in shown)
    obeyed = list(find_obeyed_sentences(without_citations(answer), contents))
    memories = {number: shown[number - 1] for number in cited}
    pieces: list[str] = []
    unsupported: list[str] = []
    for match in _SENTENCE.finditer(answer):
        _, numbers = read_citations(match[0], len(shown))
        said = without_citations(match[0]).strip()
        wrong = _unsupported(said, query, {n: memories[n] for n in numbers or memories})
        wrong += [sentence for sentence in obeyed if sentence in said]
        pieces += [match["said"], MARK if wrong else "", match["end"]]
        unsupported += wrong
    marked = "".join(pieces) or answer
    return CitedAnswer(marked, list(dict.fromkeys(unsupported))[:MAX_UNSUPPORTED])


def _unsupported(said: str, query: str, cited: Mapping[int, PromptMemory]) -> list[str]:
    memories = [each.memory for each in cited.values()]
    # The prompt also stated which attributes are outdated and since when, so that counts as evidence.
    ended = [" ".join(mark.values()) for each in cited.values() for mark in each.superseded]
    evidence = Evidence(
        [query, *(memory.content for memory in memories), *ended],
        [memory.occurred_at.astimezone(UTC) for memory in memories],
        labels=[
            name
            for memory in memories
            for name in (memory.author, memory.agent, memory.channel, memory.instance)
        ],
    )
    missing = [value.text for value in evidence.missing(find_values(said))]
    return missing + misstatements(said, [_stated_source(memory) for memory in memories])


def _stated_source(memory: MemoryRecord) -> StatedSource:
    called = memory.agent if memory.role == 3 else memory.author
    return StatedSource(
        memory.content, [name for name in (_ROLES.get(memory.role, ""), called) if name]
    )
