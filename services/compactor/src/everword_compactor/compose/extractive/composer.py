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
from everword_compactor.compose.extractive.budget import budget_of, is_dense
from everword_compactor.compose.extractive.bullets import (
    Bullet,
    parse_lines,
    source_messages,
    tagged,
    write_groups,
)
from everword_compactor.compose.extractive.graph import SentenceSimilarity, centralities
from everword_compactor.compose.extractive.phrases import word_sentences
from everword_compactor.compose.extractive.selection import Option, select
from everword_compactor.compose.extractive.sentences import (
    SentenceKind,
    split_sentences,
    without_mark,
)
from everword_compactor.compose.extractive.weight import weight_of
from everword_compactor.compose.model import (
    EXTRACTIVE,
    EXTRACTIVE_VERSION,
    Composition,
    Draft,
    Level,
    Source,
)

#: Weight of a sentence's likeness to the others: facts are at the edge of a similarity graph, so it is low.
CENTRALITY = 0.1
#: Characters of lines that are compared with each other at once. More are chosen from in parts, and again from the
#: chosen ones: a step takes seconds, however long the sources are.
PART_CHARS = 500_000
#: As `BuildContext` counts where the caller has no tokeniser.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class _Candidate:
    bullet: Bullet
    #: Its place among the draft's sources.
    source: int
    #: When it was said.
    moment: datetime
    vector: Sequence[float] | None
    #: Weight by its speaker and its position in a text, from 0 to 1.
    weight: float


class ExtractiveComposer:
    """Composes leaf, branch, root and calendar nodes from whole sentences of their sources."""

    model = EXTRACTIVE

    def prompt_version(self, level: Level) -> int:
        return EXTRACTIVE_VERSION

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        """Return the chosen sentences, one per line, in chronological order.

        In a day, those of a conversation are together. The same draft gives the same node, which is empty only if no
        source has a word.
        """
        candidates = list(_candidates(draft, heartbeat))
        # If all lines have weight 0, choose among them.
        telling = [candidate for candidate in candidates if candidate.weight] or candidates
        budget = _budget(draft, telling)
        chosen = _select_candidates(telling, budget, heartbeat)
        if draft.level.of_calendar:
            chosen = _by_place(chosen)
        content = write_groups([candidate.bullet for candidate in chosen])
        faithfulness = check_faithfulness(
            content,
            draft.sources,
            time_zone=draft.time_zone,
            level=draft.level,
            chosen=True,
            heartbeat=heartbeat,
        )
        return Composition(content, self.model, EXTRACTIVE_VERSION, faithfulness, _tokens(content))


def _budget(draft: Draft, candidates: Sequence[_Candidate]) -> float:
    lines = (candidate.bullet.text for candidate in candidates)
    dense = sum(len(line.encode()) for line in lines if is_dense(line)) / BYTES_PER_TOKEN
    size = sum(_tokens(source.readable_text) for source in draft.sources)
    return budget_of(draft.level, size, min(dense, size))


def _by_place(chosen: Iterable[_Candidate]) -> list[_Candidate]:
    """Return lines in the order of their days, and of a day those of a place together, as it was first spoken at."""
    ordered = sorted(chosen, key=lambda candidate: candidate.moment)
    first: dict[tuple[str, str], int] = {}
    for number, candidate in enumerate(ordered):
        first.setdefault(_place(candidate.bullet), number)
    return sorted(ordered, key=lambda candidate: first[_place(candidate.bullet)])


def _place(bullet: Bullet) -> tuple[str, str]:
    return bullet.time[:10], bullet.tags


def _select_candidates(
    candidates: Iterable[_Candidate], budget: float, heartbeat: Callable[[], None]
) -> list[_Candidate]:
    """Return the chosen candidates in order: the best of each part, then the best of these."""
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
    similarity = SentenceSimilarity(
        [wording.words for wording in wordings], [candidate.vector for candidate in candidates]
    )
    central = centralities(similarity)
    options = [
        Option(
            # The end of its line costs, too.
            cost=(len(candidate.bullet.line.encode()) + 1) / BYTES_PER_TOKEN,
            worth=candidate.weight
            * wording.information
            * ((1 - CENTRALITY) + CENTRALITY * float(centrality)),
            source=candidate.source,
            speaker=candidate.bullet.speaker,
            facts=wording.facts,
            openings=_openings(candidate.bullet),
        )
        for candidate, wording, centrality in zip(candidates, wordings, central, strict=True)
    ]
    return [candidates[number] for number in select(options, similarity, budget, heartbeat)]


def _candidates(draft: Draft, heartbeat: Callable[[], None]) -> Iterator[_Candidate]:
    """Yield every line that could be chosen."""
    zone = ZoneInfo(draft.time_zone)
    for number, source in enumerate(draft.sources):
        heartbeat()
        for told, kind, vector in _source_lines(source, zone):
            bullet = tagged(told, source, draft.level)
            moment = bullet.moment or source.earliest_at
            weight = weight_of(bullet, kind, source, draft.agent)
            yield _Candidate(bullet, number, moment, vector, weight)


def _openings(bullet: Bullet) -> tuple[tuple[object, float], ...]:
    """Return the cost of each line that opens the bullet's group, paid once: time, and place."""
    if not bullet.time:
        return ()
    day, hour = bullet.time[:10], bullet.time[:13]
    when = ((hour, bullet.tags), (len(bullet.time) + 3) / BYTES_PER_TOKEN)
    where = ((day, bullet.tags), len(bullet.tags.encode()) / BYTES_PER_TOKEN)
    return when, where


def _source_lines(
    source: Source, zone: ZoneInfo
) -> Iterator[tuple[Bullet, SentenceKind, Sequence[float] | None]]:
    """Yield the lines of a source, each with the vector of the passage that it begins in."""
    ends, end = list[int](), 0
    if source.vectors:
        for passage in split_passages(source.readable_text):
            end += len(passage)
            ends.append(end)
    aligned = len(ends) == len(source.vectors)
    for bullet, kind, start in _lines(source, zone):
        vector = None
        if source.vectors:
            place = bisect.bisect_right(ends, start) if aligned else 0
            vector = source.vectors[min(place, len(source.vectors) - 1)]
        yield bullet, kind, vector


def _lines(source: Source, zone: ZoneInfo) -> Iterator[tuple[Bullet, SentenceKind, int]]:
    """Yield the lines of a source, each with its start in the source's text."""
    if source.level == 0:
        for sentence in split_sentences(source.readable_text):
            yield (
                source_messages(source, without_mark(sentence), zone),
                sentence.kind,
                sentence.start,
            )
        return
    for line, start, bullet in parse_lines(source.text):
        if bullet is not None:
            yield bullet, SentenceKind.PROSE, start
            continue
        for sentence in split_sentences(line):
            told = source_messages(source, without_mark(sentence), zone)
            yield told, sentence.kind, start + sentence.start


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
