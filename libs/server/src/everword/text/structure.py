"""Shorten JSON and the output of tools by their structure, and runs of characters that carry no meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

#: A run of one character, and a word without spaces that is longer than any name or digest, such as base64.
_SAME_CHARACTER = re.compile(r"([^\s.\-_=*#])\1{39,}")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")
#: A word of at least three characters that is repeated at least ten times.
_SAME_WORD = re.compile(r"(?<!\S)(\S{3,100})(?:\s+\1(?!\S)){9,}")
#: A word as long as the shortest run.
_LONG_WORD = re.compile(r"\S{40,}")
#: Characters shown of a run.
_SHOWN = 24
#: Maximum elements of an array, keys of an object, and characters of a string, from generous to tight.
_LIMITS = (
    *((40, 80, 800), (20, 60, 400), (10, 40, 200), (5, 40, 120)),
    *((3, 30, 60), (2, 20, 40), (1, 20, 20), (1, 8, 20), (1, 3, 20)),
)
#: Maximum characters of a string in the elements and values that match best, as long as these fit.
_MATCHING_CHARS = 400
#: Minimum length of a string that identifies the matching element of an array.
_DISTINCTIVE = 4
#: Positions at which JSON is looked for in a text.
_TRIES = 20
#: Depth of nested values below which nothing is shown: the decoder accepts more levels than Python can recurse into.
_MAX_DEPTH = 50
#: Minimum length of JSON; `[3]` in a sentence is none.
_LEAST_CHARS = 60
_OPENING = re.compile(r"[{\[]")
_DECODER_ERRORS = (ValueError, RecursionError)


def collapse_runs(text: str) -> str:
    """Replace runs such as `xxxx…`, base64 and repeated words by their beginning and their length."""
    text = _LONG_WORD.sub(_collapse_word, text)
    words = text.split()
    if any(map(str.__eq__, words, words[1:])):
        text = _SAME_WORD.sub(lambda run: f"{run[1]} … ({len(run[0].split())} times)", text)
    return text


def _collapse_word(word: re.Match[str]) -> str:
    short = _SAME_CHARACTER.sub(lambda run: f"{run[1] * 8}… ({len(run[0])} characters)", word[0])
    return _ENCODED.sub(lambda run: f"{run[0][:_SHOWN]}… ({len(run[0])} characters)", short)


class _Number(str):
    """A number as it is written, so that shortening does not change its digits."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_Number)


def has_json(text: str) -> bool:
    """Return whether a text contains an object or array of JSON."""
    return any(not isinstance(part, str) for part in _parts(text))


def shorten_structure(
    text: str, max_chars: int, match: str = "", weight: Callable[[str], float] = lambda text: 0.0
) -> str:
    """Return a text of at most about `max_chars` characters: JSON with its keys, other lines without the middle ones.

    Elements and keys with the highest `weight` of their text are preferred, and show longer strings; then elements that
    contain a string of `match`. What is left out is counted in its place.
    """
    if len(text) <= max_chars:
        return text
    parts = list(_parts(text))
    plain = sum(len(part) for part in parts if isinstance(part, str))
    has_values = any(not isinstance(part, str) for part in parts)
    lines = (
        max_chars if not has_values else max(max_chars // 4, max_chars - 8 * (len(text) - plain))
    )
    shown, weights = "", _Weights(weight)
    for matching_chars in (_MATCHING_CHARS, 0):
        for elements, keys, chars in _LIMITS:
            view = _View(elements, keys, chars, match, weights, max(chars, matching_chars))
            shown = "".join(
                _without_middle(part, max(80, lines * len(part) // max(1, plain)))
                if isinstance(part, str)
                else view.render(part.value)
                for part in parts
            )
            if len(shown) <= max_chars:
                return shown
    return _cut_at_delimiter(shown, max_chars)


@dataclass(frozen=True)
class _Value:
    """A JSON value in a text."""

    value: Any


def _parts(text: str) -> Iterator[str | _Value]:
    """Yield the JSON objects and arrays of a text, and the text between them."""
    start = tries = 0
    for found in _OPENING.finditer(text):
        at = found.start()
        if at < start or (at > start and not text[at - 1].isspace()):
            continue
        tries += 1
        if tries > _TRIES:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except _DECODER_ERRORS:
            continue
        if end - at < _LEAST_CHARS:
            continue
        if at > start:
            yield text[start:at]
        yield _Value(value)
        start = end
    if start < len(text):
        yield text[start:]


@dataclass(frozen=True)
class _Weights:
    """The weights of a text's JSON values."""

    weight: Callable[[str], float]
    _known: dict[tuple[int, str], float] = field(default_factory=dict)

    def of_entries(self, value: dict[str, Any]) -> list[float]:
        return [self._of((id(value), key), key, each) for key, each in value.items()]

    def of_elements(self, value: list[Any]) -> list[float]:
        return [self._of((id(each), ""), "", each) for each in value]

    def _of(self, place: tuple[int, str], key: str, value: Any) -> float:
        if place not in self._known:
            try:
                text = f"{key} {json.dumps(value, ensure_ascii=False)}"
            except RecursionError:
                text = key
            self._known[place] = self.weight(text)
        return self._known[place]


@dataclass(frozen=True)
class _View:
    """Limits of a rendered JSON value."""

    elements: int
    keys: int
    chars: int
    match: str
    weights: _Weights
    #: Maximum characters of a string in the element that matches best, or as the value that does.
    matching_chars: int

    def render(self, value: Any, depth: int = 0) -> str:
        if isinstance(value, (dict, list)) and depth == _MAX_DEPTH:
            return "{…}" if isinstance(value, dict) else "[…]"
        if isinstance(value, dict):
            return self._object(value, depth + 1)
        if isinstance(value, list):
            return self._array(value, depth + 1)
        if isinstance(value, _Number):
            return str(value)
        if isinstance(value, str) and len(value) > self.chars:
            end = value.rfind(" ", self.chars // 2, self.chars)
            end = end if end > 0 else self.chars
            value = f"{value[:end]}… ({len(value) - end} more characters)"
        return json.dumps(value, ensure_ascii=False)

    def _object(self, value: dict[str, Any], depth: int) -> str:
        entries, weights = list(value.items()), self.weights.of_entries(value)
        places = sorted(range(len(entries)), key=lambda place: -weights[place])[: self.keys]
        shown = list[str]()
        for place in sorted(places):
            key, each = entries[place]
            view = self._of_weight(weights[place], weights) if isinstance(each, str) else self
            shown.append(f"{json.dumps(key, ensure_ascii=False)}: {view.render(each, depth)}")
        if more := len(value) - len(shown):
            shown.append(f"… {more} more keys")
        return "{" + ", ".join(shown) + "}"

    def _array(self, value: list[Any], depth: int) -> str:
        weights = self.weights.of_elements(value)
        shown = set(self._chosen(value, weights))
        rendered, skipped = list[str](), 0
        for place, each in enumerate(value):
            if place in shown:
                if skipped:
                    rendered.append(f"… {skipped} more")
                    skipped = 0
                view = self._of_weight(weights[place], weights)
                rendered.append(view.render(each, depth))
            else:
                skipped += 1
        if skipped:
            rendered.append(f"… {skipped} more")
        return "[" + ", ".join(rendered) + "]"

    def _chosen(self, value: list[Any], weights: list[float]) -> list[int]:
        """Return the places of the elements to show: those that match, then the first ones."""
        if len(value) <= self.elements:
            return list(range(len(value)))
        places = list(range(len(value)))
        if self.match or any(weights):
            places.sort(key=lambda place: (-weights[place], -self._count_matches(value[place])))
        return places[: self.elements]

    def _of_weight(self, weight: float, weights: list[float]) -> _View:
        """Return the limits for a part of a value: longer strings if it matches and no other part matches better."""
        return replace(self, chars=self.matching_chars) if 0 < weight == max(weights) else self

    def _count_matches(self, value: Any, depth: int = 0) -> int:
        """Return the number of strings in a value that `match` contains."""
        if depth == _MAX_DEPTH:
            return 0
        if isinstance(value, dict):
            return sum(self._count_matches(each, depth + 1) for each in value.values())
        if isinstance(value, list):
            return sum(self._count_matches(each, depth + 1) for each in value)
        if not isinstance(value, str) or len(value) < _DISTINCTIVE:
            return 0
        return json.dumps(value, ensure_ascii=False) in self.match


def _without_middle(text: str, max_chars: int) -> str:
    """Return the first and the last lines of a text that fit."""
    if len(text) <= max_chars:
        return text
    lines = text.splitlines()
    head, tail, available = list[str](), list[str](), max_chars - 30
    while len(head) + len(tail) < len(lines):
        # Two lines of the beginning for each of the end.
        takes_head = len(head) <= 2 * len(tail)
        line = lines[len(head)] if takes_head else lines[-1 - len(tail)]
        if len(line) + 1 > available:
            break
        available -= len(line) + 1
        (head if takes_head else tail).append(line)
    skipped = len(lines) - len(head) - len(tail)
    if not head:
        return _cut_at_delimiter(text, max_chars)
    middle = [f"… ({skipped} more lines)"] if skipped else []
    return "\n".join([*head, *middle, *reversed(tail)])


def _cut_at_delimiter(text: str, max_chars: int) -> str:
    """Return the beginning of a text up to a delimiter, so that no word or value is cut."""
    end = max(text.rfind(each, 0, max_chars) for each in (" ", "\n", ",", "}", "]"))
    return f"{text[: end + 1 if end > 0 else max_chars].rstrip()} …"


def trim_to_delimiters(text: str, *, start: bool, end: bool) -> str:
    """Return a part of structured text without an incomplete value at its start or end."""
    if start:
        found = (text.find(each) for each in ("\n", ",", "{", "["))
        places = [at for at in found if 0 <= at < len(text) // 2]
        text = text[min(places) + 1 :] if places else text
    if end:
        at = max(text.rfind(each) for each in ("\n", ",", "}", "]"))
        text = text[: at + 1] if at > len(text) // 2 else text
    return text.strip()
