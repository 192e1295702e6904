"""Makes nodes without a language model: the sentences that tell most of their sources, word for word."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from everword.text.analysis import folded_words
from everword.text.passages import split_passages
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.extractive.bullets import Bullet, parse_bullet, tagged, told_by
from everword_compactor.compose.extractive.graph import Likeness, centralities
from everword_compactor.compose.extractive.selection import Option, select
from everword_compactor.compose.extractive.sentences import split_sentences
from everword_compactor.compose.extractive.wording import word_sentences
from everword_compactor.compose.model import (
    BUDGET_TOKENS,
    EXTRACTIVE,
    EXTRACTIVE_VERSION,
    Composition,
    Draft,
    Level,
    Source,
)

#: Tokens of a node to those of its sources: two levels stay well under a fifth of the transcript.
SHARES = {
    Level.LEAF: 0.28,
    Level.BRANCH: 0.3,
    Level.ROOT: 0.3,
    Level.DAY: 0.2,
    Level.WEEK: 0.3,
    Level.MONTH: 0.3,
    Level.YEAR: 0.3,
}
#: How much it counts that a sentence is like the others: facts stand at the edge of a graph, so it counts little.
CENTRALITY = 0.1
#: Characters of lines that are held against each other at once. More are chosen from in parts, and again from what was
#: chosen: a step takes seconds, however long the sources are.
PART_CHARS = 500_000
#: As `BuildContext` counts where the caller has no tokeniser.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class _Candidate:
    bullet: Bullet
    #: Its place among the draft's sources.
    source: int
    #: When it was said: the order of a calendar's lines, whose sources overlap.
    moment: datetime
    vector: Sequence[float] | None


class ExtractiveComposer:
    """Composes leaf, branch, root and calendar nodes from whole sentences of their sources."""

    model = EXTRACTIVE

    def prompt_version(self, level: Level) -> int:
        return EXTRACTIVE_VERSION

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        """Return the chosen sentences, a line each, in the order in which they were said.

        The same draft gives the same node. Only sources without a word give an empty one.
        """
        size = sum(_tokens(source.text) for source in draft.sources)
        budget = min(SHARES[draft.level] * size, BUDGET_TOKENS[draft.level])
        chosen = _chosen(_candidates(draft, heartbeat), budget, heartbeat)
        if draft.level.of_calendar:
            chosen.sort(key=lambda candidate: candidate.moment)
        content = "\n".join(candidate.bullet.line for candidate in chosen)
        faithfulness = check_faithfulness(
            content,
            draft.sources,
            time_zone=draft.time_zone,
            level=draft.level,
            chosen=True,
            heartbeat=heartbeat,
        )
        return Composition(content, self.model, EXTRACTIVE_VERSION, faithfulness, _tokens(content))


def _chosen(
    candidates: Iterable[_Candidate], budget: float, heartbeat: Callable[[], None]
) -> list[_Candidate]:
    """Return what is chosen of the candidates, in order: of each part of them, then of what that leaves."""
    while True:
        parts, chosen = 0, list[_Candidate]()
        for part in _parts(candidates):
            heartbeat()
            chosen += _best(part, budget, heartbeat)
            parts += 1
        if parts < 2:
            return chosen
        candidates = chosen


def _parts(candidates: Iterable[_Candidate]) -> Iterator[list[_Candidate]]:
    """Yield the candidates in runs of about `PART_CHARS`, each line once in its run."""
    part, chars = dict[str, _Candidate](), 0
    for candidate in candidates:
        line = candidate.bullet.line
        if line in part:
            continue
        if chars and chars + len(line) > PART_CHARS:
            yield list(part.values())
            part, chars = {}, 0
        part[line] = candidate
        chars += len(line)
    if part:
        yield list(part.values())


def _best(
    candidates: Sequence[_Candidate], budget: float, heartbeat: Callable[[], None]
) -> list[_Candidate]:
    speakers = {candidate.bullet.speaker for candidate in candidates}
    names = frozenset(word for speaker in speakers for word in folded_words(speaker))
    wordings = word_sentences([candidate.bullet.text for candidate in candidates], names)
    likeness = Likeness(
        [wording.words for wording in wordings], [candidate.vector for candidate in candidates]
    )
    central = centralities(likeness)
    options = [
        Option(
            # The end of its line costs, too.
            cost=(len(candidate.bullet.line.encode()) + 1) / BYTES_PER_TOKEN,
            worth=wording.information * ((1 - CENTRALITY) + CENTRALITY * float(centrality)),
            source=candidate.source,
            speaker=candidate.bullet.speaker,
            facts=wording.facts,
        )
        for candidate, wording, centrality in zip(candidates, wordings, central, strict=True)
    ]
    return [candidates[number] for number in select(options, likeness, budget, heartbeat)]


def _candidates(draft: Draft, heartbeat: Callable[[], None]) -> Iterator[_Candidate]:
    """Yield every line that could be chosen."""
    zone = ZoneInfo(draft.time_zone)
    for number, source in enumerate(draft.sources):
        heartbeat()
        for told, vector in _told(source, zone):
            bullet = tagged(told, source, draft.level)
            moment = bullet.moment or source.earliest_at
            yield _Candidate(bullet, number, moment, vector)


def _told(source: Source, zone: ZoneInfo) -> Iterator[tuple[Bullet, Sequence[float] | None]]:
    """Yield the lines of a source, each with the vector of the passage that it begins in."""
    ends, end = list[int](), 0
    if source.vectors:
        for passage in split_passages(source.text):
            end += len(passage)
            ends.append(end)
    aligned = len(ends) == len(source.vectors)
    for bullet, start in _lines(source, zone):
        vector = None
        if source.vectors:
            place = bisect.bisect_right(ends, start) if aligned else 0
            vector = source.vectors[min(place, len(source.vectors) - 1)]
        yield bullet, vector


def _lines(source: Source, zone: ZoneInfo) -> Iterator[tuple[Bullet, int]]:
    """Yield what a source says as lines, with where each begins in its text."""
    if source.level == 0:
        for sentence in split_sentences(source.text):
            yield told_by(source, sentence.text, zone), sentence.start
        return
    start = 0
    for line in source.text.splitlines(keepends=True):
        bullet = parse_bullet(line.rstrip())
        if bullet is not None:
            yield bullet, start
        else:
            for sentence in split_sentences(line):
                yield told_by(source, sentence.text, zone), start + sentence.start
        start += len(line)


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
