"""Makes nodes without a language model: the sentences that tell most of their sources, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from everword.text.analysis import folded_words
from everword_compactor.compose.checks.coverage import is_incomplete
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.extractive.budget import (
    BYTES_PER_TOKEN,
    budget_of,
    longest_budget,
    tokens_of,
)
from everword_compactor.compose.extractive.bullets import Bullet, write_groups
from everword_compactor.compose.extractive.candidates import Candidate, read_candidates
from everword_compactor.compose.extractive.graph import SentenceSimilarity, centralities
from everword_compactor.compose.extractive.phrases import word_sentences
from everword_compactor.compose.extractive.selection import Option, select
from everword_compactor.compose.model import (
    EXTRACTIVE,
    EXTRACTIVE_VERSION,
    Composition,
    Draft,
    Level,
)

#: Weight of a sentence's likeness to the others: facts are at the edge of a similarity graph, so it is low.
CENTRALITY = 0.1
#: Characters of lines that are compared with each other at once. More are chosen from in parts, and again from the
#: chosen ones: a step takes seconds, however long the sources are.
PART_CHARS = 500_000


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
        candidates = read_candidates(draft, heartbeat)
        # If all lines have weight 0, choose among them.
        telling = [candidate for candidate in candidates if candidate.weight] or candidates
        size = sum(tokens_of(source.readable_text) for source in draft.sources)
        pool = _Pool(telling, heartbeat)
        composed = self._choose(draft, pool, budget_of(draft.level, size, telling))
        most = longest_budget(draft.level, size)
        if is_incomplete(composed.faithfulness, draft.level) and composed.token_count < most:
            composed = self._choose(draft, pool, most)
        if is_incomplete(composed.faithfulness, draft.level):
            faithfulness = replace(composed.faithfulness, incomplete=True)
            composed = replace(composed, faithfulness=faithfulness)
        return composed

    def _choose(self, draft: Draft, pool: _Pool, budget: float) -> Composition:
        chosen = pool.select(budget)
        if draft.level.of_calendar:
            chosen = _by_place(chosen)
        content = write_groups([candidate.bullet for candidate in chosen])
        faithfulness = check_faithfulness(
            content,
            draft.sources,
            time_zone=draft.time_zone,
            level=draft.level,
            chosen=True,
            heartbeat=pool.heartbeat,
        )
        return Composition(
            content, self.model, EXTRACTIVE_VERSION, faithfulness, tokens_of(content)
        )


def _by_place(chosen: Iterable[Candidate]) -> list[Candidate]:
    """Return lines in the order of their days, and of a day those of a place together, as it was first spoken at."""
    ordered = sorted(chosen, key=lambda candidate: candidate.moment)
    first: dict[tuple[str, str], int] = {}
    for number, candidate in enumerate(ordered):
        first.setdefault(_place(candidate.bullet), number)
    return sorted(ordered, key=lambda candidate: first[_place(candidate.bullet)])


def _place(bullet: Bullet) -> tuple[str, str]:
    return bullet.time[:10], bullet.tags


def _parts(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    """Yield the candidates in runs of about `PART_CHARS`, each line once in its run."""
    part, chars = dict[str, Candidate](), 0
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


class _Pool:
    """Candidates to choose from, perhaps more than once."""

    def __init__(self, candidates: Sequence[Candidate], heartbeat: Callable[[], None]) -> None:
        self._candidates = candidates
        self.heartbeat = heartbeat
        #: The only part with its options, if all candidates are compared with each other at once.
        self._part: _Part | None = None

    def select(self, budget: float) -> list[Candidate]:
        """Return the chosen candidates in order: the best of each part, then the best of these."""
        if self._part is not None:
            return self._part.select(budget, self.heartbeat)
        candidates: Iterable[Candidate] = self._candidates
        while True:
            parts, chosen = 0, list[Candidate]()
            for lines in _parts(candidates):
                self.heartbeat()
                part = _Part(lines)
                chosen += part.select(budget, self.heartbeat)
                parts += 1
            if parts == 1 and candidates is self._candidates:
                self._part = part
            if parts < 2:
                return chosen
            candidates = chosen


class _Part:
    """Candidates that are compared with each other, as options."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates
        speakers = {candidate.bullet.speaker for candidate in candidates}
        names = frozenset(word for speaker in speakers for word in folded_words(speaker))
        wordings = word_sentences([candidate.bullet.text for candidate in candidates], names)
        self._similarity = SentenceSimilarity(
            [wording.words for wording in wordings], [candidate.vector for candidate in candidates]
        )
        central = centralities(self._similarity)
        self._options = [
            Option(
                # The end of its line costs, too.
                cost=(len(candidate.bullet.line.encode()) + 1) / BYTES_PER_TOKEN,
                worth=candidate.weight
                * wording.information
                * ((1 - CENTRALITY) + CENTRALITY * float(centrality)),
                source=candidate.source,
                speaker=candidate.bullet.speaker,
                facts=wording.facts,
                is_announced=candidate.is_announced,
                openings=_openings(candidate.bullet),
            )
            for candidate, wording, centrality in zip(candidates, wordings, central, strict=True)
        ]

    def select(self, budget: float, heartbeat: Callable[[], None]) -> list[Candidate]:
        """Return the chosen candidates, in order."""
        chosen = select(self._options, self._similarity, budget, heartbeat)
        return [self._candidates[number] for number in chosen]


def _openings(bullet: Bullet) -> tuple[tuple[object, float], ...]:
    """Return the cost of each line that opens the bullet's group, paid once: time, and place."""
    if not bullet.time:
        return ()
    day, hour = bullet.time[:10], bullet.time[:13]
    when = ((hour, bullet.tags), (len(bullet.time) + 3) / BYTES_PER_TOKEN)
    where = ((day, bullet.tags), len(bullet.tags.encode()) / BYTES_PER_TOKEN)
    return when, where
