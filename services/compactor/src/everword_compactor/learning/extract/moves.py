"""Reads the new employer of a user who mentions a change of jobs: "I switched jobs, I'm at Initech now".

"I'm at Lidl now" alone is only a location.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everword_compactor.learning.extract.assertions import OPENERS
from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Modality, SpokenClaim, TokenizedSentence
from everword_compactor.learning.extract.values.names import firm

_CHANGED = frozenset({"switched", "changed", "new", "got", "started", "found", "quit", "left"})
_JOBS = frozenset({"job", "jobs", "employer", "employers", "company", "companies", "gig", "career"})
_AM = frozenset({"'m", "am", "'re"})
_BETWEEN = WORDS["adverbs"] | {"over", "now"}
_PLACED = frozenset({"at", "with", "over"})
#: How many words lie between what changed and the job.
_NEAR = 3


def new_employer(
    sentence: TokenizedSentence, sentences: Sequence[TokenizedSentence]
) -> Iterator[SpokenClaim]:
    """Yield the author's employer, if this or the previous sentence mentions a change of jobs."""
    lows = [token.low for token in sentence.tokens]
    if not any(_changes_jobs(each) for each in sentences[-2:]):
        return
    for at in range(len(lows) - 3):
        if lows[at] not in {"i", "we"} or lows[at + 1] not in _AM:
            continue
        place = at + 2
        while place < len(lows) and lows[place] in _BETWEEN - _PLACED | {"over"}:
            place += 1
        read = firm(sentence, place + 1) if lows[place : place + 1] in (["at"], ["with"]) else None
        if read is not None:
            yield SpokenClaim(
                "employer",
                read[0][0],
                Modality.STATEMENT,
                sentence.text,
                slot="firm",
                happens=True,
            )
            return


def _changes_jobs(sentence: TokenizedSentence) -> bool:
    """Return whether the sentence says that its author, and not another person, has changed jobs."""
    lows = [token.low for token in sentence.tokens]
    if (WORDS["unreal"] | WORDS["unsaid"]) & set(lows) or sentence.is_question:
        return False
    for at, low in enumerate(lows):
        if low in _CHANGED and _JOBS & set(lows[at + 1 : at + 1 + _NEAR]):
            before = [each for each in lows[:at] if each not in OPENERS | WORDS["adverbs"] | {","}]
            return not before or bool({"i", "we"} & set(before[-3:]))
    return False
