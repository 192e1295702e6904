"""Holds an answer against the memories that it cites, and marks what they do not bear out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC

import regex

from everword.domain.records import MemoryRecord
from everword.text.statements.misstated import misstatements
from everword.text.statements.obeyed import find_obeyed
from everword.text.statements.sources import StatedSource
from everword.text.values.evidence import Evidence, find_values
from everword_search.answers.prompt import PromptMemory, read_citations, without_citations

#: Values and statements that are named at most.
MAX_UNSUPPORTED = 50
#: Stands at the end of a sentence that no memory it cites bears out.
MARK = " [unsupported]"
# A sentence with the citations after its full stop, and the space up to the next one.
_SENTENCE = regex.compile(
    r"(?P<said>(?:(?![.!?…。！？](?:\s|$)|[。！？]|\n).)++)(?P<end>[.!?…。！？]*+(?:[ \t]*+\[[0-9]{1,4}\])*+\s*+)",
    regex.DOTALL,
)
_ROLES = {2: "user", 3: "assistant"}


@dataclass(frozen=True)
class CitedAnswer:
    """An answer whose sentences are marked where no memory that they cite bears them out."""

    text: str
    #: What is not borne out: numbers, dates, names, quotations, and statements.
    unsupported: Sequence[str]


def check_answer(
    answer: str, query: str, shown: Sequence[PromptMemory], cited: Set[int]
) -> CitedAnswer:
    """Return the answer with `[unsupported]` at the end of each sentence that says what its memories do not.

    A sentence rests on the memories that it cites, by their numbers among those `shown`; one without a citation on all
    that the answer cites. What the question says may be said again. What a memory orders may not, cited or not.
    """
    contents = (each.memory.content for each in shown)
    obeyed = list(find_obeyed(without_citations(answer), contents))
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
    # That something holds no more, and since when, is what is known of a memory beside its words.
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
    return missing + misstatements(said, [_said(memory) for memory in memories])


def _said(memory: MemoryRecord) -> StatedSource:
    called = memory.agent if memory.role == 3 else memory.author
    return StatedSource(
        memory.content, [name for name in (_ROLES.get(memory.role, ""), called) if name]
    )
