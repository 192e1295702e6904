"""Words of a sentence that announce a decision, a task, a cause, a rule or a correction, from cues.txt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from importlib.resources import files

from everword.text.analysis import folded_words
from everword.text.passages import MAX_CHARS

_TEXT = files("everword_compactor.compose").joinpath("cues.txt")
#: Kinds of sentences that a summary keeps first.
KINDS = ("decision", "task", "cause", "rule", "correction")
#: Kind of a sentence that may be about no more than the next moment.
PLAN = "plan"
#: Kind of a person's decision, which an assistant's next step sounds like.
PROPOSAL = "proposal"
#: Kind of a sentence that encourages, praises or thanks.
CHATTER = "chatter"
#: All that `kinds_in` returns.
_FOUND = (*KINDS, PLAN, PROPOSAL, CHATTER)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_QUESTION_MARKS = ("?", "？", "؟")


def _load() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for line in _TEXT.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, words = line.split(":", 1)
            found[kind] |= {word.replace("_", " ") for word in words.split()}
    return {kind: frozenset(words) for kind, words in found.items()}


WORDS = _load()


def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the words and the kind of each cue, by its first word."""
    found = defaultdict(list)
    for kind in _FOUND:
        for cue in sorted(WORDS[kind]):
            words = tuple(folded_words(cue))
            found[words[0]].append((words, kind))
    return dict(found)


_PHRASES = _phrases()


def kinds_in(sentence: str) -> frozenset[str]:
    """Return the kinds that a sentence has a cue of; a question announces nothing."""
    words = folded_words(sentence)
    if _PHRASES.keys().isdisjoint(words) or sentence.rstrip().endswith(_QUESTION_MARKS):
        return frozenset()
    return frozenset(
        kind
        for place, word in enumerate(words)
        for cue, kind in _PHRASES.get(word, ())
        if tuple(words[place : place + len(cue)]) == cue
    )


def announced_sentences(text: str) -> list[str]:
    """Return the sentences of a text that have a cue of one of `KINDS`."""
    # A longer part is no sentence.
    parts = [part for part in _SENTENCE_ENDS.split(text) if len(part) <= MAX_CHARS]
    return [part for part in parts if not kinds_in(part).isdisjoint(KINDS)]


def starts_with(kind: str, words: Sequence[str]) -> bool:
    """Return whether the first word, as `folded_words` cuts it, is a cue of a kind."""
    return bool(words) and words[0] in WORDS[kind]
