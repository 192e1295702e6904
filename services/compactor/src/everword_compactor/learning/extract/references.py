"""Reads claims that refer to the messages just before: "I meant Bern", "it was moved to Monday"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from everword_compactor.learning.extract.assertions import OPENERS
from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Modality, SpokenClaim, TokenizedSentence
from everword_compactor.learning.extract.values import slots

CORRECTING = frozenset({"no", "sorry", "correction", "oops", "whoops", "meant", "typo", "wait"})
_BETWEEN = frozenset({"on", "at", "in", "to", "the", "a", "an"})
_EXCHANGED = frozenset(
    {"replaced", "swapped", "exchanged", "switched", "moved", "changed", "traded"}
)
#: Anything may be one of these.
_LOOSE = frozenset({"thing", "things", "word", "tastes", "doing", "favourite", "rest", "role"})
_PLANS = ("appointment", "deadline")


def refer_back(
    sentence: TokenizedSentence, earlier: Sequence[SpokenClaim]
) -> Iterator[SpokenClaim]:
    """Yield the claims of a sentence that refer to the claims just before it."""
    lows = [token.low for token in sentence.tokens]
    if not earlier:
        return
    words = set(lows)
    if "meant" in words or lows[0] in CORRECTING:
        yield from _corrections(sentence, lows, earlier)
    elif "not" in words:
        yield from _not_that(sentence, lows, earlier)
    elif _EXCHANGED & words:
        yield from _instead(sentence, lows, earlier)
        yield from _moved(sentence, lows, earlier)


def last_claim(
    claims: Iterable[SpokenClaim], fits: Callable[[SpokenClaim], bool]
) -> SpokenClaim | None:
    said = [
        c for c in claims if c.modality in (Modality.STATEMENT, Modality.CORRECTION) and fits(c)
    ]
    return said[-1] if said else None


def _corrections(
    sentence: TokenizedSentence, lows: Sequence[str], earlier: Sequence[SpokenClaim]
) -> Iterator[SpokenClaim]:
    """Yield the corrections in "I meant Bern" and "sorry, Bern": of the last claim with a value of the same kind."""
    if "meant" in lows:
        at = lows.index("meant") + 1
        if at > 1 and lows[at - 2] != "i" and lows[at - 2] not in CORRECTING | {","}:
            return
    else:
        passed = CORRECTING | OPENERS | {","}
        at = next((n for n, low in enumerate(lows) if low not in passed), len(lows))
    if lows[at : at + 1] == ["to"] and not _is_named(sentence, at + 1):
        return  # "I meant to call"
    while at < len(lows) and lows[at] in _BETWEEN:
        at += 1
    last = last_claim(earlier, lambda each: bool(each.slot))
    value = _value(sentence, at, last)
    if last and value and ("meant" in lows or _is_all(sentence, lows, at, last)):
        yield _corrected(last, value, sentence)


def _is_named(sentence: TokenizedSentence, at: int) -> bool:
    return any(token.is_capital or token.low[0].isdigit() for token in sentence.tokens[at : at + 2])


def _is_all(sentence: TokenizedSentence, lows: Sequence[str], at: int, last: SpokenClaim) -> bool:
    """Return whether the sentence from `at` on is only a value like that of `last`, the claim that it may correct.

    Examples: "sorry, May 4", "no, Bern, not Basel".
    """
    read = slots.SLOTS[last.slot](sentence, at)
    is_whole = read is not None and (read[1] >= len(lows) or lows[read[1]] in {",", "not"})
    # "No problem": nothing is named.
    named = sentence.tokens[at].is_capital or any(c.isdigit() for c in sentence.tokens[-1].text)
    return is_whole and last.slot not in _LOOSE and named


def _not_that(
    sentence: TokenizedSentence, lows: Sequence[str], earlier: Sequence[SpokenClaim]
) -> Iterator[SpokenClaim]:
    """Yield what "it's Bern, not Basel" corrects, where Basel was said just before."""
    rest = sentence.slice(lows.index("not"), len(lows)).lower().split(maxsplit=1)[1:]
    wrong = last_claim(
        earlier, lambda each: bool(rest and each.slot and rest[0] == _words(each.value))
    )
    at = next((n + 1 for n, low in enumerate(lows) if low in {"'s", "is"}), 0)
    value = _value(sentence, at, wrong) if at else None
    if wrong and value:
        yield _corrected(wrong, value, sentence)


def _instead(
    sentence: TokenizedSentence, lows: Sequence[str], earlier: Sequence[SpokenClaim]
) -> Iterator[SpokenClaim]:
    """Yield what "I replaced the Audi with a BMW" says, where the Audi was spoken of just before."""
    if lows[0] not in {"i", "we"}:
        return
    for at, low in enumerate(lows):
        if low not in {"with", "for", "to", "by"}:
            continue
        named = [each for each in earlier if each.slot and _ends_with(lows[:at], each.value)]
        old = last_claim(named, lambda _: True)
        begin = at + 1
        while begin < len(lows) and lows[begin] in _BETWEEN | WORDS["adjectives"]:
            begin += 1
        value = _value(sentence, begin, old)
        if old and value:
            yield replace(
                old, value=value, wrong="", modality=Modality.STATEMENT, quote=sentence.text
            )


def _moved(
    sentence: TokenizedSentence, lows: Sequence[str], earlier: Sequence[SpokenClaim]
) -> Iterator[SpokenClaim]:
    """Yield what "it was moved to Monday" says of the plan that was spoken of just before."""
    if lows[0] not in {"it", "they"} or not WORDS["rescheduled"] & set(lows) or "to" not in lows:
        return
    plan = last_claim(earlier, lambda each: each.attribute.rpartition("_")[2] in _PLANS)
    value = _value(sentence, lows.index("to") + 1, plan)
    if plan and value:
        yield replace(plan, value=value, wrong="", modality=Modality.STATEMENT, quote=sentence.text)


def _ends_with(said: Sequence[str], value: str) -> bool:
    words = _words(value).split()
    return bool(words) and list(said[-len(words) :]) == words


def _words(value: str) -> str:
    """Return a value as it was said, without the day that a plan's words mean."""
    return value.partition(" (")[0].lower()


def _value(sentence: TokenizedSentence, at: int, claim: SpokenClaim | None) -> str | None:
    """Return the single value of a claim's kind at a position, if it differs from the claim's."""
    read = slots.SLOTS[claim.slot](sentence, at) if claim and claim.slot else None
    if claim is None or read is None or len(read[0]) != 1:
        return None
    return read[0][0] if read[0][0].lower() != _words(claim.value) else None


def _corrected(wrong: SpokenClaim, value: str, sentence: TokenizedSentence) -> SpokenClaim:
    return replace(
        wrong, value=value, wrong=wrong.value, modality=Modality.CORRECTION, quote=sentence.text
    )
