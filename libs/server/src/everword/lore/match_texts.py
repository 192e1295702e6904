"""Search many texts for the triggers of several lorebooks, within the limits of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.lore.evaluation import Evaluation
from everword.lore.matcher import Matcher, RegexTrigger, Text
from everword.lore.model import EntryId

#: For each text, the entries that it triggers, each with the index of the first matching trigger.
TextHits = list[dict[EntryId, int]]


@dataclass(frozen=True)
class Matches:
    """The entries that texts trigger, and the triggers that were skipped."""

    #: By matcher.
    hits: Sequence[TextHits]
    #: Patterns that were not searched for in all texts.
    unsearched: Sequence[RegexTrigger]
    #: Number of texts at the end that were not searched at all.
    unread: int

    @property
    def is_complete(self) -> bool:
        return not self.unsearched and not self.unread


def match_texts(
    texts: Sequence[str], matchers: Sequence[Matcher], evaluation: Evaluation
) -> Matches:
    """Return the entries that texts trigger; if the time runs out, the last texts are skipped. Call it in a thread.

    Plain triggers are searched first, then patterns in the order of their compiled size, so that a costly pattern does
    not use up the time of cheap ones.
    """
    hits: list[TextHits] = [[{} for _ in texts] for _ in matchers]
    patterns = [
        (pattern, own)
        for matcher, own in zip(matchers, hits, strict=True)
        for pattern in matcher.patterns
    ]
    encoded = list[bytes]()
    for number, words in enumerate(texts):
        if evaluation.is_over():
            break
        text = Text(words)
        for matcher, own in zip(matchers, hits, strict=True):
            own[number] = matcher.match_plain(text)
        encoded.append(text.encoded if patterns else b"")
    with evaluation.patterns:
        unsearched = _search(patterns, encoded, evaluation)
    return Matches(hits, unsearched, len(texts) - len(encoded))


def _search(
    patterns: Sequence[tuple[RegexTrigger, TextHits]],
    encoded: Sequence[bytes],
    evaluation: Evaluation,
) -> list[RegexTrigger]:
    """Add the matches of patterns; return the patterns that were not searched for in all texts."""
    ready, unsearched = list[tuple[RegexTrigger, TextHits]](), list[RegexTrigger]()
    if not any(encoded):
        return unsearched
    for pattern, own in patterns:
        if not pattern.is_ready:
            if evaluation.is_over_for_patterns():
                unsearched.append(pattern)
                continue
            pattern.prepare()
        ready.append((pattern, own))
    ready.sort(key=lambda each: each[0].instructions)
    for pattern, own in ready:
        for text, found in zip(encoded, own, strict=False):
            if not text or pattern.refusal:
                continue
            if evaluation.is_over_for_patterns():
                unsearched.append(pattern)
                break
            if pattern.is_in(text):
                id_ = pattern.rule.id
                found[id_] = min(pattern.place, found.get(id_, pattern.place))
    return unsearched
