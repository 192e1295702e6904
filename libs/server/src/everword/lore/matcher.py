"""Which entries' triggers a text holds. Pure."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import re2
import regex

from everword.lore.literals import Literals
from everword.lore.model import EntryId, Hits, Rule, Trigger, TriggerMode
from everword.lore.patterns import compile_pattern

_BLANKS = regex.compile(r"\s+")
_EDGE = regex.compile(r"\b")
#: Stands at each edge of a word: no text holds it.
_AT_EDGE = "\0"

#: An entry, and the place of a trigger among its own.
_Owner = tuple[EntryId, int]


class Text:
    """A text in the forms in which it is looked through; each is made when it is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def composed(self) -> str:
        return unicodedata.normalize("NFC", self._text)

    @cached_property
    def encoded(self) -> bytes:
        return self.composed.encode(errors="replace")

    @cached_property
    def cased(self) -> str:
        """With one blank in the place of many."""
        return _BLANKS.sub(" ", self.composed.replace(_AT_EDGE, " "))

    @cached_property
    def folded(self) -> str:
        """Whatever the case of its letters, and how they are written."""
        folded = unicodedata.normalize("NFKC", self.cased).casefold()
        return _BLANKS.sub(" ", unicodedata.normalize("NFKC", folded))

    @cached_property
    def cased_words(self) -> str:
        return _EDGE.sub(_AT_EDGE, self.cased)

    @cached_property
    def folded_words(self) -> str:
        return _EDGE.sub(_AT_EDGE, self.folded)

    def form(self, mode: TriggerMode, *, case_sensitive: bool) -> str:
        """Return what holds a key of this mode exactly where its own form is a part of it."""
        if mode is TriggerMode.WORD:
            return self.cased_words if case_sensitive else self.folded_words
        return self.cased if case_sensitive else self.folded


class Matcher:
    """The triggers of entries, compiled."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._owners = defaultdict[tuple[TriggerMode, bool], dict[str, list[_Owner]]](dict)
        self._patterns: list[tuple[re2._Regexp, _Owner]] = []
        #: How many triggers there are.
        self.size = 0
        for rule in rules:
            for place, trigger in enumerate(rule.triggers):
                self._add(trigger, (rule.id, place))
        searched = (TriggerMode.SUBSTRING, TriggerMode.WORD)
        self._literals = {
            kind: Literals(keys) for kind, keys in self._owners.items() if kind[0] in searched
        }

    def _add(self, trigger: Trigger, owner: _Owner) -> None:
        self.size += 1
        if trigger.mode is TriggerMode.REGEX:
            pattern = compile_pattern(trigger.text, case_sensitive=trigger.case_sensitive)
            self._patterns.append((pattern, owner))
            return
        key = Text(trigger.text).form(trigger.mode, case_sensitive=trigger.case_sensitive)
        if trigger.mode is TriggerMode.EXACT:
            key = key.strip()
        kind = trigger.mode, trigger.case_sensitive
        self._owners[kind].setdefault(key, []).append(owner)

    def match(self, text: Text) -> Hits:
        """Return the entries that a text sets off, each with the first of its triggers that it holds."""
        found = list[_Owner]()
        for (mode, case_sensitive), owners in self._owners.items():
            form = text.form(mode, case_sensitive=case_sensitive)
            if mode is TriggerMode.EXACT:
                found += owners.get(form.strip(), ())
            else:
                for key in self._literals[mode, case_sensitive].find(form):
                    found += owners[key]
        if self._patterns and text.encoded:
            found += [owner for pattern, owner in self._patterns if pattern.search(text.encoded)]
        return _first(found)


def _first(found: Sequence[_Owner]) -> Hits:
    hits = dict[EntryId, int]()
    for id_, place in found:
        hits[id_] = min(place, hits.get(id_, place))
    return hits
