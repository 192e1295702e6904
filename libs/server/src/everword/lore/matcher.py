"""Which entries' triggers a text holds. Pure."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import re2
import regex

from everword.lore.literals import Literals
from everword.lore.model import EntryId, Rule, Trigger, TriggerMode
from everword.lore.patterns import BadPattern, CostlyPattern, compile_pattern
from everword.lore.words import AT_EDGE, insert_edge_marks, is_whole_word, key_of
from everword.text.case_folding import APOSTROPHES, fold_forms

_BLANKS = regex.compile(r"\s+")

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
        """The text with runs of blanks as one blank, and all apostrophes as one character."""
        plain = self.composed.replace(AT_EDGE, " ").translate(APOSTROPHES)
        return _BLANKS.sub(" ", plain)

    @cached_property
    def folded(self) -> str:
        """Whatever the case of its letters, and how they are written."""
        folded = unicodedata.normalize("NFKC", fold_forms(self.cased))
        return _BLANKS.sub(" ", folded)

    @cached_property
    def cased_words(self) -> str:
        return insert_edge_marks(self.cased)

    @cached_property
    def folded_words(self) -> str:
        return insert_edge_marks(self.folded)

    def form(self, mode: TriggerMode, *, case_sensitive: bool) -> str:
        """Return the form of the text in which keys of this mode are searched."""
        if mode is TriggerMode.WORD:
            return self.cased_words if case_sensitive else self.folded_words
        return self.cased if case_sensitive else self.folded


class RegexTrigger:
    """A trigger that is a regular expression, compiled when it is first needed."""

    def __init__(self, rule: Rule, place: int) -> None:
        self.rule = rule
        #: Its place among the triggers of the rule.
        self.place = place
        #: Why it is never searched for; empty for a pattern that can be.
        self.refusal = ""
        self._compiled: re2._Regexp | None = None

    @property
    def text(self) -> str:
        return self.rule.triggers[self.place].text

    @property
    def is_ready(self) -> bool:
        """Return whether it is compiled, or known to be refused."""
        return self._compiled is not None or bool(self.refusal)

    @property
    def instructions(self) -> int:
        """The size of the compiled pattern: the larger, the more a search may cost. 0 for a refused pattern."""
        return self._compiled.programsize if self._compiled else 0

    def prepare(self) -> None:
        """Compile it. A pattern that was stored before a limit, or came with an import, may be refused."""
        trigger = self.rule.triggers[self.place]
        try:
            self._compiled = compile_pattern(trigger.text, case_sensitive=trigger.case_sensitive)
        except CostlyPattern as error:
            self.refusal = str(error)
        except BadPattern as error:
            self.refusal = f"is not a valid pattern: {error}"

    def is_in(self, encoded: bytes) -> bool:
        """Return whether a text (`Text.encoded`) matches; False for a refused pattern."""
        return self._compiled is not None and self._compiled.search(encoded) is not None


class Matcher:
    """The triggers of entries; plain triggers are compiled, patterns are compiled when needed."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._owners = defaultdict[tuple[TriggerMode, bool], dict[str, list[_Owner]]](dict)
        self.patterns: list[RegexTrigger] = []
        #: Number of plain triggers.
        self.plain = 0
        for rule in rules:
            for place, trigger in enumerate(rule.triggers):
                if trigger.mode is TriggerMode.REGEX:
                    self.patterns.append(RegexTrigger(rule, place))
                else:
                    self._add(trigger, (rule.id, place))
        searched = (TriggerMode.SUBSTRING, TriggerMode.WORD)
        self._literals = {
            kind: Literals(keys) for kind, keys in self._owners.items() if kind[0] in searched
        }

    def _add(self, trigger: Trigger, owner: _Owner) -> None:
        self.plain += 1
        key = Text(trigger.text).form(trigger.mode, case_sensitive=trigger.case_sensitive)
        if trigger.mode is TriggerMode.EXACT:
            key = key.strip()
        if trigger.mode is TriggerMode.WORD:
            key = key_of(key)
        kind = trigger.mode, trigger.case_sensitive
        self._owners[kind].setdefault(key, []).append(owner)

    def match_plain(self, text: Text) -> dict[EntryId, int]:
        """Return the entries that plain triggers match in a text, each with its first matching trigger."""
        found = list[_Owner]()
        for (mode, case_sensitive), owners in self._owners.items():
            form = text.form(mode, case_sensitive=case_sensitive)
            if mode is TriggerMode.EXACT:
                found += owners.get(form.strip(), ())
            else:
                for key in self._literals[mode, case_sensitive].find(form):
                    if mode is not TriggerMode.WORD or is_whole_word(form, key):
                        found += owners[key]
        return _first(found)


def _first(found: Sequence[_Owner]) -> dict[EntryId, int]:
    hits = dict[EntryId, int]()
    for id_, place in found:
        hits[id_] = min(place, hits.get(id_, place))
    return hits
