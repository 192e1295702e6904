"""The lines that a node can choose from, each readable alone and with corrections applied."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from everword.text.analysis import folded_words
from everword.text.passages import split_passages
from everword_compactor.compose.cues import KINDS, PLAN, PROPOSAL, kinds_in, starts_with
from everword_compactor.compose.extractive.bullets import (
    Bullet,
    parse_lines,
    source_messages,
    tagged,
)
from everword_compactor.compose.extractive.corrections import Line, correct_lines, is_corrected
from everword_compactor.compose.extractive.sentences import (
    SentenceKind,
    SourceSentence,
    split_sentences,
    without_mark,
)
from everword_compactor.compose.extractive.weight import (
    has_value,
    is_assistant,
    is_courtesy,
    weight_of,
)
from everword_compactor.compose.model import Draft, Source

#: Largest number of characters of a sentence with the one before that it refers to.
_JOINED_CHARS = 240
#: Largest number of characters of a message that needs the question before it, and of the shown question.
_REPLY_CHARS, _ASKED_CHARS = 60, 160
#: Beginnings of what speakers do next, unless they name a time or a person.
_OWN_ERRANDS = {("i", verb) for verb in ("need", "have", "must", "should")} | {
    ("ich", verb) for verb in ("muss", "soll", "sollte")
}
_QUESTION_MARKS = ("?", "？", "؟")


@dataclass(frozen=True)
class Candidate:
    """A line that a node can have."""

    bullet: Bullet
    #: Its place among the draft's sources.
    source: int
    #: When it was said.
    moment: datetime
    vector: Sequence[float] | None
    #: Weight by its speaker, its form and its position in a text, from 0 to 1.
    weight: float
    #: Kinds of its cues, such as `decision`.
    kinds: frozenset[str]

    @property
    def is_announced(self) -> bool:
        """Return whether it has a decision, a task, a cause, a rule or a correction."""
        return not self.kinds.isdisjoint(KINDS)


def read_candidates(draft: Draft, heartbeat: Callable[[], None]) -> list[Candidate]:
    """Return every line that could be chosen, in order."""
    found = list(_read(draft, heartbeat))
    texts, corrections = correct_lines(
        [Line(each.bullet.speaker, each.bullet.text, each.kinds) for each in found]
    )
    return [
        _corrected(candidate, text, number in corrections)
        for number, (candidate, text) in enumerate(zip(found, texts, strict=True))
        if text is not None
    ]


def _corrected(candidate: Candidate, text: str, is_correction: bool) -> Candidate:
    if not is_correction and not is_corrected(text):
        return candidate
    kinds = candidate.kinds | {"correction"}
    return replace(candidate, bullet=replace(candidate.bullet, text=text), kinds=kinds, weight=1.0)


def _read(draft: Draft, heartbeat: Callable[[], None]) -> Iterator[Candidate]:
    zone = ZoneInfo(draft.time_zone)
    before: Source | None = None
    for number, source in enumerate(draft.sources):
        heartbeat()
        lines = list(_source_lines(source, zone))
        if before is not None and len(lines) == 1:
            [(bullet, kind, vector)] = lines
            lines = [(_with_question(bullet, source, before, zone), kind, vector)]
        for told, kind, vector in lines:
            bullet = tagged(told, source, draft.level)
            kinds = kinds_in(bullet.text)
            kinds = _with_doer(bullet.text, kinds)
            if PROPOSAL in kinds and not is_assistant(bullet, kind, source, draft.agent):
                kinds |= {"decision"}
            weight = weight_of(bullet, kind, source, draft.agent, kinds)
            yield Candidate(
                bullet, number, bullet.moment or source.earliest_at, vector, weight, kinds
            )
        before = source


def _with_doer(text: str, kinds: frozenset[str]) -> frozenset[str]:
    """Return the kinds of a plan by its actor: `I need to get a parcel` is no task, `Priya will write it` is one."""
    if PLAN in kinds and has_value(text):
        return kinds | {"task"}
    if "task" in kinds and tuple(folded_words(text)[:2]) in _OWN_ERRANDS and not has_value(text):
        return kinds - {"task"} | {PLAN}
    return kinds


def _with_question(bullet: Bullet, source: Source, before: Source, zone: ZoneInfo) -> Bullet:
    """Return a short message with the question that it answers, which the message before ends with."""
    is_reply = (
        source.level == before.level == 0
        and source.conversation_id == before.conversation_id
        and len(bullet.text) <= _REPLY_CHARS
        and not is_courtesy(bullet.text)
        and not bullet.text.endswith(_QUESTION_MARKS)
    )
    text = before.readable_text.rstrip()
    if not is_reply or not text.endswith(_QUESTION_MARKS):
        return bullet
    asked = source_messages(before, split_sentences(text)[-1].text, zone)
    if len(asked.text) > _ASKED_CHARS or asked.speaker == bullet.speaker:
        return bullet
    return replace(bullet, text=f"{bullet.text} ({asked.speaker} asked: {asked.text})")


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
        for sentence in _joined(split_sentences(source.readable_text)):
            told = source_messages(source, without_mark(sentence), zone)
            yield told, sentence.kind, sentence.start
        return
    for line, start, bullet in parse_lines(source.text):
        if bullet is not None:
            yield bullet, SentenceKind.PROSE, start
            continue
        for sentence in split_sentences(line):
            told = source_messages(source, without_mark(sentence), zone)
            yield told, sentence.kind, start + sentence.start


def _joined(sentences: Sequence[SourceSentence]) -> Iterator[SourceSentence]:
    """Yield sentences; one whose first word refers to the sentence before is joined with it."""
    held: SourceSentence | None = None
    for sentence in sentences:
        if held is not None and _refers_back(held, sentence):
            held = replace(held, text=f"{held.text} {sentence.text}")
            continue
        if held is not None:
            yield held
        held = sentence
    if held is not None:
        yield held


def _refers_back(before: SourceSentence, sentence: SourceSentence) -> bool:
    return (
        before.kind is sentence.kind is SentenceKind.PROSE
        and len(before.text) + len(sentence.text) < _JOINED_CHARS
        and starts_with("dependent", folded_words(sentence.text))
        and (has_value(sentence.text) or not kinds_in(sentence.text).isdisjoint(KINDS))
        and not is_courtesy(before.text)
    )
