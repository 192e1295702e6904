"""Resolves the person in "his name is Anton": the one relative, friend or animal mentioned just before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import TokenizedSentence

_KINDS = ("partner", "child", "sibling", "parent", "friend", "flatmate", "pet")
_ATTRIBUTES = {word: kind for kind in _KINDS for word in WORDS[kind]}
_OWN = frozenset({"my", "our"})
_ARTICLES = frozenset({"a", "an", "another", "new"})
#: "we got a dog" makes it ours, as "I saw a dog" does not.
_GETTING = frozenset(
    {"got", "adopted", "rescued", "have", "bought", "brought", "welcomed", "birth", "had"}
)
_AUTHORS = frozenset({"i", "we"})
_DATING = frozenset({"seeing", "dating", "met"})


def named_attribute(sentences: Sequence[TokenizedSentence]) -> str | None:
    """Return the attribute for a name in the last sentence; None if there is no candidate, or several."""
    spoken_of = {kind for sentence in sentences[-2:] for kind in _mentioned_people(sentence)}
    return (spoken_of.pop() or None) if len(spoken_of) == 1 else None


def _mentioned_people(sentence: TokenizedSentence) -> Iterator[str]:
    """Yield the people mentioned in a sentence; an empty name for people unrelated to the author."""
    lows = [token.low for token in sentence.tokens]
    words = set(lows)
    if "someone" in words and words & _DATING and words & _AUTHORS | {"'m"} & words:
        yield "partner"
    for at, low in enumerate(lows):
        kind = _ATTRIBUTES.get(low)
        if kind is None and low in {"boy", "girl"}:
            kind = "child"
        if kind is None:
            continue
        before = lows[max(at - 4, 0) : at]
        if _OWN & set(before) or (
            _ARTICLES & set(before) and words & _GETTING and words & _AUTHORS
        ):
            yield kind
        elif before[-1:] == ["baby"] and kind == "child":
            continue
        else:
            yield ""
