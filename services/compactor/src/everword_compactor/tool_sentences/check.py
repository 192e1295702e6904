"""Checks the sentence that a model writes about a tool call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import regex

from everword.text.values.evidence import Evidence, find_values
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.outcomes.sentence import Call

_MIN_CHARS = 10
_MAX_CHARS = 500
_MAX_WORDS = 25
_PREAMBLES = (
    "the assistant", "the agent", "the tool", "the model", "the user", "this tool", "this call", "assistant",
    "sure", "certainly", "okay", "ok,", "here is", "here's", "of course", "i ", "i'", "as an", "in this",
    "summary:", "sentence:", "note:",
)  # fmt: skip
_ENDS = regex.compile(r"[.!?。！？…][\"'”’)\]]*$")
#: The end of one sentence and the beginning of another. Abbreviations and initials end none.
_NEXT_SENTENCE = regex.compile(
    r"(?<!\b(?:e\.g|i\.e|etc|vs|cf|no|dr|mr|mrs|st|approx|\p{L}))[.!?][\"”’)\]]*\s+(?=[\p{Lu}\"“])",
    regex.IGNORECASE,
)
_QUOTED = regex.compile(r'"[^"]*"|“[^”]*”|`[^`]*`')
_IRREGULAR_PAST = """
ate became began bound bought broke brought built came caught chose cut did drew fell felt forked found gave got grew
had held hit hung kept knew laid led left let lit lost made met overwrote paid put ran rang read rebuilt reran resent
reset rewrote said sat saw sent set shot showed shut sold sought spent split spread stood swept swung taught thought
threw told took parsed undid was went were withdrew won wound wrote
"""
_IRREGULAR = frozenset(_IRREGULAR_PAST.split())
#: The verb comes early.
_VERB_WITHIN = 8


def check_sentence(sentence: str, call: Call) -> list[str]:
    """Return the problems of a sentence about a call, in words for the model; empty if there are none."""
    text = sentence.strip()
    complaints = [
        complaint
        for wrong, complaint in (
            (len(text) < _MIN_CHARS, f"shorter than {_MIN_CHARS} characters"),
            (len(text) > _MAX_CHARS, f"longer than {_MAX_CHARS} characters"),
            (len(text.split()) > _MAX_WORDS, f"more than {_MAX_WORDS} words"),
            (not _ENDS.search(text), "without a full stop at its end"),
            (
                text.lower().startswith(_PREAMBLES),
                "begins with a preamble instead of what was done",
            ),
            (not _is_one_sentence(text), "more than one sentence"),
            (not _in_past_tense(text), "not in the past tense"),
        )
        if wrong
    ]
    return complaints + or_else(["cannot be checked"], _invented, text, call)


def _invented(text: str, call: Call) -> list[str]:
    # Numbers in the outcome may be counted, and need not occur in the call.
    known = Evidence(
        [call.name, *_text_variants(call.args), *_text_variants(call.result), call.outcome]
    )
    return [f"not in the call: {value.text[:120]}" for value in known.missing(find_values(text))]


def _is_one_sentence(text: str) -> bool:
    # A quotation from the call may hold any number of sentences.
    return "\n" not in text and not _NEXT_SENTENCE.search(_QUOTED.sub("x", text))


def _in_past_tense(text: str) -> bool:
    words = regex.findall(r"\p{L}+", _QUOTED.sub(" ", text).lower())[:_VERB_WITHIN]
    return any(word in _IRREGULAR or (word.endswith("ed") and len(word) > 3) for word in words)


def _text_variants(text: str) -> Iterator[str]:
    r"""Yield a text and, if it is JSON, its strings: `\ ` and `\\u00e9` are escaped in the text."""
    yield text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _strings(value)


def _strings(value: Any) -> Iterator[str]:
    # However deep they lie: a generator in a generator for each depth would end where Python's stack does.
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from map(str, value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
