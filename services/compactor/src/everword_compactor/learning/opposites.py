"""Finds the standing instruction, preference or restriction that another sentence ends.

"You can use emojis again" ends "Don't use emojis", and "please answer in English" ends "please answer in Norwegian".
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from everword.text.statements.clauses import stems_of
from everword.text.statements.polarity import is_denied
from everword_compactor.learning.extract.instructions import INSTRUCTION, PREFERENCE, RESTRICTION
from everword_compactor.learning.extract.lexicon import WORDS

#: The attributes whose values are sentences.
SENTENCES = frozenset({INSTRUCTION, PREFERENCE, RESTRICTION})
#: Kinds of words of which an instruction has one at a time.
_KINDS = ("languages", "lasting_units", "lasting_length", "lasting_tone")
#: Besides negations, words that turn an instruction into its opposite.
_STOPPING = regex.compile(r"\b(?:stop|quit|avoid|skip|leave out)\b")
#: Words that only say that something changed, or how it is asked for.
_WORDLESS = regex.compile(
    r"\b(?:again|any ?more|any longer|no longer|now|from (?:now|here) on(?:wards)?|going forward|in future|need|have to"
    r"|can|may|fine|okay?|allowed|prefer|instead|actually|me)\b"
)
#: Verbs of speaking and writing: "reply in French" is about the same as "write in French".
_SPEAKING = stems_of(
    "answer reply respond response speak talk write use switch keep give always units"
)
#: Part of the words of a sentence that the ended one must contain.
_SHARED = 0.6


def find_opposite(values: Iterable[str], sentence: str) -> str | None:
    """Return the value that a sentence ends, the one that shares most words with it; None if it ends none."""
    scored = [(_shared(value, sentence), value) for value in values]
    share, value = max(scored, default=(0.0, ""))
    return value if share >= _SHARED else None


def _shared(value: str, sentence: str) -> float:
    """Return the part of a sentence's words that an opposite value has; 0 for a value that is no opposite."""
    old, new = value.lower(), sentence.lower()
    for kind in _KINDS:
        one, two = (WORDS[kind] & set(regex.findall(r"\w+", text)) for text in (old, new))
        if one and two and one != two:
            same = _stems(old) - _folded(one) == _stems(new) - _folded(two)
            return 1.0 if same and _denies(old) == _denies(new) else 0.0
    if _denies(old) == _denies(new):
        return 0.0
    asked, held = _stems(new, speaking=True), _stems(old, speaking=True)
    return len(asked & held) / len(asked) if asked else 0.0


def _denies(low: str) -> bool:
    return is_denied(low) != (len(_STOPPING.findall(low)) % 2 == 1)


def _stems(low: str, *, speaking: bool = False) -> frozenset[str]:
    stems = stems_of(_STOPPING.sub(" ", _WORDLESS.sub(" ", low)))
    return stems if speaking else stems - _SPEAKING


def _folded(words: Iterable[str]) -> frozenset[str]:
    return stems_of(" ".join(words))
