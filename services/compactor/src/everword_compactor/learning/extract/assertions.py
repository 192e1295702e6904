"""Normalises spoken sentences: adds a missing subject, and separates questions from statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import regex

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Token, TokenizedSentence

#: Words that may precede a statement, as in "so, big news: we moved".
OPENERS = WORDS["openers"]
_SUBJECTLESS = WORDS["subjectless"]
_ONGOING = frozenset(
    {"living", "working", "studying", "training", "saving", "taking", "seeing", "learning"}
)
_ASKING = frozenset(
    {
        "what",
        "where",
        "when",
        "who",
        "whom",
        "whose",
        "which",
        "why",
        "how",
        "any",
        "anyone",
        "anything",
    }
)
_AUXILIARIES = WORDS["auxiliaries"]
_ASKED = WORDS["asked"]
_JOINING = frozenset({",", ";", ":", "-", "so", "and", "but"})
#: "…, is that right?" asks about the statement before it.
_TAGS = frozenset({"right", "correct", "true", "wrong", "remember", "or"})
#: Fewer words after a comma are such a tag: "…, don't I?".
_LEAST_ASKED = 3
#: Words that ask to remember the rest of the sentence, or whether it is known.
_NOTING = frozenset(
    {"note", "remember", "save", "record", "store", "mention", "tell", "told", "know", "mentioned"}
)

#: Conditions that limit nothing.
_IDIOM = regex.compile(
    r"\bif (?:that|it|this) (?:matters|helps|counts)\b|\bif you(?: 're| are)? (?:wondering|asking|remember|must know)\b"
    r"|\bif i 'm honest\b"
)


def said(sentence: TokenizedSentence) -> TokenizedSentence | None:
    """Return the statement of a sentence, with a missing "I" added; None if it only asks."""
    stated = _stated(sentence) if sentence.is_question else sentence
    return _with_subject(stated) if stated and stated.tokens else None


def _stated(question: TokenizedSentence) -> TokenizedSentence | None:
    """Return the statement before or within a question: "I weigh 92 kg, is that too much?"."""
    tokens = question.tokens
    noted = _after_noting(tokens)
    if noted:
        return _part(question, noted, len(tokens))
    if _is_question(tokens, 0):
        return None
    for at in range(2, len(tokens)):
        if tokens[at - 1].low in _JOINING and _is_question(tokens, at):
            rest = tokens[at:]
            words = {token.low for token in rest}
            is_tag = _TAGS & words or (len(rest) <= _LEAST_ASKED and "n't" in words)
            least = 2 if rest[0].low in _ASKING else _LEAST_ASKED
            if len(rest) < least or is_tag:
                return None
            return _part(question, 0, at - 1)
    # "I'm Danish, so no visa?"
    after_so = next((at for at in range(3, len(tokens)) if tokens[at].low == "so"), 0)
    return _part(question, 0, after_so) if after_so else None


def _is_question(tokens: tuple[Token, ...], at: int) -> bool:
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if tokens[at].low in _AUXILIARIES:
        return following in _ASKED or following == "n't"
    return tokens[at].low in _ASKING


def _after_noting(tokens: tuple[Token, ...]) -> int:
    """Return the start of the fact to remember, as in "can you note that my name is Bo?"; 0 if there is none."""
    for at, token in enumerate(tokens[:6]):
        if at and token.low in _NOTING and tokens[0].low in _AUXILIARIES:
            after = at + 1
            while after < len(tokens) and tokens[after].low in {"you", "down", "that", "for", "me"}:
                after += 1
            begins = after < len(tokens) and tokens[after].low in {"i", "we", "my", "our", "the"}
            return after if begins else 0
    return 0


def _part(sentence: TokenizedSentence, begin: int, end: int) -> TokenizedSentence | None:
    if begin >= end:
        return None
    return replace(
        sentence,
        tokens=sentence.tokens[begin:end],
        text=sentence.slice(begin, end),
        is_question=False,
    )


def _is_gerund_subject(tokens: tuple[Token, ...], at: int) -> bool:
    """Return whether "living in Rome" is the subject of the sentence: "living in Rome is fun"."""
    return not WORDS["predicates"].isdisjoint(token.low for token in tokens[at:])


def _with_subject(sentence: TokenizedSentence) -> TokenizedSentence:
    """Return a sentence with the subject that those leave out who write in a hurry: "Been in Bremen since May"."""
    tokens = sentence.tokens
    at = 0
    while at < len(tokens) and tokens[at].low in OPENERS:
        at += 1
    if at == len(tokens):
        return sentence
    low = tokens[at].low
    place = tokens[at].start
    subject = Token("", "i", place, place)
    is_ongoing = low in _ONGOING and not _is_gerund_subject(tokens, at)
    is_unable = [each.low for each in tokens[at : at + 2]] == ["ca", "n't"]
    is_not = low == "not" and [each.low for each in tokens[at + 1 : at + 2]] == ["a"]
    if low in _SUBJECTLESS or is_unable:
        left_out = [subject]
    elif low == "been":
        left_out = [subject, Token("", "'ve", place, place)]
    elif is_ongoing or is_not:
        left_out = [subject, Token("", "'m", place, place)]
    else:
        return sentence
    return replace(sentence, tokens=(*tokens[:at], *left_out, *tokens[at:]))


def begins_clause(lows: Sequence[str], at: int) -> bool:
    """Return whether the author begins another statement after a comma: "…, I live in Rome"."""
    return lows[at] == "," and lows[at + 1 : at + 2] in (["i"], ["we"], ["my"], ["our"])


def without_idioms(before: Sequence[str]) -> list[str]:
    """Return the words before a claim without an empty condition: "if that matters"."""
    text = _IDIOM.sub(lambda found: " ".join("-" for _ in found[0].split()), " ".join(before))
    return text.split(" ") if text else []
