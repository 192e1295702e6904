"""Regular expressions that take linear time, by RE2."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import re2

from everword.domain.errors import InvalidArgument
from everword.lore.model import Trigger, TriggerMode

#: Of a compiled pattern and what it remembers while it matches, in bytes. What needs more is refused, or takes longer.
_MAX_BYTES = 256 * 1024


class BadPattern(ValueError):
    """A text is no regular expression, or one that is too large."""


def compile_pattern(text: str, *, case_sensitive: bool) -> re2._Regexp:
    """Return a pattern that looks through bytes of UTF-8. Raises BadPattern, with the place in the text."""
    text = unicodedata.normalize("NFC", text)
    options = re2.Options()
    options.case_sensitive = case_sensitive
    options.max_mem = _MAX_BYTES
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(text, options)
    except re2.error as error:
        raise BadPattern(_described(text, error)) from error


def check_triggers(triggers: Sequence[Trigger], field: str, title: str) -> None:
    """Raise InvalidArgument, which names the entry, where a trigger of it can match nothing."""
    violations = []
    for place, trigger in enumerate(triggers):
        name = f"{field}.triggers[{place}].text"
        if not trigger.text.replace("\0", " ").strip():
            violations.append((name, f"of {title!r} is blank"))
        elif trigger.mode is TriggerMode.REGEX:
            try:
                compile_pattern(trigger.text, case_sensitive=trigger.case_sensitive)
            except BadPattern as error:
                violations.append((name, f"of {title!r} is no pattern: {error}"))
    if violations:
        raise InvalidArgument(violations=tuple(violations))


def _described(text: str, error: re2.error) -> str:
    """Return what is wrong, and from which character on, where RE2 says so."""
    [said] = error.args
    told = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    what, separator, part = told.partition(": ")
    place = text.find(part) if separator and part else -1
    return f"{told}, at character {place + 1}" if place >= 0 else what
