"""Says what a message claims: what is found in it, without what it does not say of its author."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from everword_compactor.learning.extract import slots
from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.matcher import Match, find_matches
from everword_compactor.learning.extract.model import Claim, Modality, Sentence
from everword_compactor.learning.extract.tokens import MAX_CHARS, split_sentences

#: Before a statement, they make it no statement of the author about now.
_UNSAID = WORDS["unsaid"]
#: After a statement.
_UNSAID_AFTER = frozenset(
    {"if", "kidding", "jk", "hypothetically", "dream", "dreams", "unless", "kid", "said"}
)
_GUESSING = frozenset({"maybe", "perhaps", "probably", "possibly", "apparently", "seems"})
#: After "I".
_BELIEVING = frozenset({"think", "guess", "suspect", "believe", "assume"})
_CORRECTING = frozenset({"no", "sorry", "correction", "oops", "meant", "typo", "wait"})
#: What is asked for in such a message is not what its author is.
_STAGED = WORDS["staged"]
#: No part of what an attribute is about.
_NOT_OF = _UNSAID | frozenset(
    {"the", "a", "an", "my", "our", "your", "his", "her", "their", "i", "we", "not"}
)
_BIRTH = WORDS["child"] | {"boy", "girl", "twins"}
#: What turns into something else is no mistake.
_CHANGING = WORDS["changing"]


def extract(text: str, earlier: Sequence[Claim] = ()) -> list[Claim]:
    """Return what a user claims in a message; `earlier` are the claims of their messages just before it.

    Of several that exclude each other the last one stays.
    """
    found: list[Claim] = []
    if _STAGED & set(text[:MAX_CHARS].lower().split()):
        return found
    for sentence in split_sentences(text):
        if not sentence.is_question:
            found += _claims(sentence, [*earlier, *found], text)
    return list({(c.attribute, c.value.lower()): c for c in found}.values())


def _claims(sentence: Sentence, earlier: Sequence[Claim], text: str) -> Iterator[Claim]:
    matches = [match for match in find_matches(sentence) if _is_said(sentence, match)]
    lows = [token.low for token in sentence.tokens]
    for match in matches:
        if match.pattern.needs_kind and not _BIRTH & set(text.lower().split()):
            continue
        modality = _modality(lows, match)
        for claim in _of(sentence, match, modality):
            yield _corrected(claim, earlier)
    if not matches and "meant" in lows:
        yield from _meant(sentence, lows, earlier)


def _is_said(sentence: Sentence, match: Match) -> bool:
    before = {token.low for token in sentence.tokens[: max(match.begin, 0)]}
    after = {token.low for token in sentence.tokens[match.end : match.end + 8]}
    if before & _UNSAID or after & _UNSAID_AFTER:
        return False
    lows = [token.low for token in sentence.tokens[match.end : match.end + 3]]
    # "… next month", "… as a kid", "… back then": it is not so now.
    future = lows[:1] == ["next"] or lows[:2] in (["as", "a"], ["back", "then"], ["to", "my"])
    previous = sentence.tokens[match.begin - 1].low if match.begin > 0 else ""
    return not future and previous not in {"who", "what", "which", "of", "n't", "not"}


def _modality(lows: Sequence[str], match: Match) -> Modality:
    if match.pattern.retracts:
        return Modality.RETRACTION
    before = set(lows[: max(match.begin, 0)])
    believed = any(
        one == "i" and two in _BELIEVING for one, two in pairwise(lows[: max(match.begin, 0)])
    )
    if believed or before & _GUESSING:
        return Modality.HYPOTHESIS
    changing = _CHANGING & set(lows)
    return Modality.CORRECTION if before & _CORRECTING and not changing else Modality.STATEMENT


def _of(sentence: Sentence, match: Match, modality: Modality) -> Iterator[Claim]:
    attribute = _attribute(match)
    if attribute is None:
        return
    for value in match.values or ([""] if match.pattern.retracts else []):
        kept = _without_fillers(value)
        if kept or match.pattern.retracts:
            yield Claim(attribute, kept, modality, sentence.text, slot=match.slot)


def _attribute(match: Match) -> str | None:
    """Return the name of an attribute, with what it is about; None where that makes no name."""
    name, of = match.pattern.attribute, match.of.lower()
    if not of or name == "pet":
        return name
    parts = [
        part for part in of.replace("-", " ").split() if part not in {"new", "current", "whole"}
    ]
    if any(not part.isascii() or not part.isalnum() or part in _NOT_OF for part in parts):
        return None
    slug = "_".join(parts)
    return (f"favourite_{slug}" if name == "favourite" else f"{slug}_{name}") if slug else name


def _without_fillers(value: str) -> str:
    words = value.split()
    while words and words[-1].lower() in {
        "now",
        "too",
        "well",
        "either",
        "though",
        "everyone",
        "guys",
        "lol",
    }:
        words.pop()
    return " ".join(words)


def _corrected(claim: Claim, earlier: Sequence[Claim]) -> Claim:
    """Return a correction with what it corrects; where nothing was said a moment ago, it is a statement."""
    if claim.modality is not Modality.CORRECTION:
        return claim
    wrong = _last(earlier, lambda each: each.attribute == claim.attribute)
    if wrong is None or wrong.value.lower() == claim.value.lower():
        return replace(claim, modality=Modality.STATEMENT)
    return replace(claim, wrong=wrong.value)


def _meant(sentence: Sentence, lows: Sequence[str], earlier: Sequence[Claim]) -> Iterator[Claim]:
    """Yield what "I meant Bern" corrects: what was said last and is of the same kind."""
    at = lows.index("meant") + 1
    if at < 2 or lows[at - 2] != "i":
        return
    last = _last(earlier, lambda each: bool(each.slot))
    read = slots.SLOTS[last.slot](sentence, at) if last else None
    if last and read and len(read[0]) == 1 and read[0][0].lower() != last.value.lower():
        [value] = read[0]
        yield replace(
            last, value=value, wrong=last.value, modality=Modality.CORRECTION, quote=sentence.text
        )


def _last(claims: Iterable[Claim], fits) -> Claim | None:  # type: ignore[no-untyped-def]
    said = [
        c for c in claims if c.modality in (Modality.STATEMENT, Modality.CORRECTION) and fits(c)
    ]
    return said[-1] if said else None
