"""Regular expressions in linear time, by RE2, with limits of their cost.

RE2 searches a text in linear time, but a pattern with large nested repetitions takes microseconds per byte, a plain one
nanoseconds. A pattern that costs too much is refused when it is stored.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence

import re2

from everword.domain.errors import InvalidArgument
from everword.lore.model import Trigger, TriggerMode

#: Bytes for a compiled pattern and for the states that RE2 caches while it searches. RE2 refuses a pattern whose
#: program needs more, and searches more slowly if the memory for states is short.
_MAX_BYTES = 256 * 1024
#: Memory limit with which RE2 refuses a program of 8,000 instructions or more in half a millisecond. Compiling it takes
#: 5 ms, during which no other thread runs.
_PROGRAM_BYTES = 128 * 1024
#: Maximum instructions of a compiled pattern; four classes such as `\pL` have 4,800. The cost of a search grows with
#: them, up to 7 µs per byte of text at 11,000.
MAX_INSTRUCTIONS = 5000
#: Maximum seconds of CPU time per byte of the probe text. Most patterns take 2 ns, `\pL+ \pL+` 80 ns,
#: `(\pL+[\s\S]{0,100}){1,2}zq` 1,600 ns.
MAX_COST_S = 1e-6
#: Ordinary text on which patterns are timed, 4 KB: a long line of prose with some numbers and other scripts, and a
#: short line. The line is long since `.{0,300}` costs most within one line.
_PROBE = (
    "The dragon of the Westmark slept beneath the old castle, while seven knights rode north past 12 mills. "
    "“Who goes there?” asked Duke Anselm; it was 10:45, and nobody answered. Größere Städte über den Flüssen, "
    "à l'été prochain. Привет, мир! Старый замок спит. 赤い竜が東の山から来た。 한국어로 쓴 문장도 있다. "
)
_PROBE_BYTES = f"{_PROBE * 10}\nThe end.\n".encode()
_ADVICE = "use fewer and shorter repetitions, such as {0,20} for {0,200}, none within another, and begin with a word"


class BadPattern(ValueError):
    """A text is not a valid regular expression, or one that costs too much to search for."""


class CostlyPattern(BadPattern):
    """A regular expression costs too much to search for."""


def compile_pattern(text: str, *, case_sensitive: bool) -> re2._Regexp:
    """Return a pattern that searches UTF-8 bytes.

    Raises BadPattern, with the place of the error, and CostlyPattern for a program that is too large.
    """
    text = unicodedata.normalize("NFC", text)
    options = re2.Options()
    options.case_sensitive = case_sensitive
    options.log_errors = False
    options.never_capture = True
    try:
        for options.max_mem in (_PROGRAM_BYTES, _MAX_BYTES):
            pattern = re2.compile(text, options)
    except re2.error as error:
        raise _refusal(text, error) from error
    if pattern.programsize > MAX_INSTRUCTIONS:
        raise _too_large()
    return pattern


def check_pattern(text: str, *, case_sensitive: bool) -> None:
    """Raise BadPattern as `compile_pattern` does, and CostlyPattern for a pattern that is slow on ordinary text.

    Takes up to 60 ms for a slow pattern, and under 1 ms for most others: call it in a thread.
    """
    pattern = compile_pattern(text, case_sensitive=case_sensitive)
    # The first search builds the cached states; the second one is timed.
    cost = min(_probe_cost(pattern) for _ in range(2))
    if cost > MAX_COST_S:
        raise CostlyPattern(
            f"is too costly to search for, {cost * 1e6:.1f} µs per byte of ordinary text where "
            f"{MAX_COST_S * 1e6:g} µs is the limit: {_ADVICE}"
        )


def _probe_cost(pattern: re2._Regexp) -> float:
    """Return the CPU time of a search through the probe text, in seconds per byte."""
    began = time.thread_time()
    pattern.search(_PROBE_BYTES)
    return (time.thread_time() - began) / len(_PROBE_BYTES)


def has_patterns(triggers: Sequence[Trigger]) -> bool:
    return any(trigger.mode is TriggerMode.REGEX for trigger in triggers)


def check_triggers(triggers: Sequence[Trigger], field: str, title: str) -> None:
    """Raise InvalidArgument, which names the entry, if one of its triggers can match nothing or costs too much.

    With patterns, call it in a thread. Only the first costly pattern is named, since checking each takes time.
    """
    violations = []
    for place, trigger in enumerate(triggers):
        name = f"{field}.triggers[{place}].text"
        if not trigger.text.replace("\0", " ").strip():
            violations.append((name, f"of {title!r} is blank"))
        elif trigger.mode is TriggerMode.REGEX:
            try:
                check_pattern(trigger.text, case_sensitive=trigger.case_sensitive)
            except CostlyPattern as error:
                violations.append((name, f"of {title!r}, the pattern {trigger.text!r}, {error}"))
                break
            except BadPattern as error:
                violations.append((name, f"of {title!r} is not a valid pattern: {error}"))
    if violations:
        raise InvalidArgument(violations=tuple(violations))


def _refusal(text: str, error: re2.error) -> BadPattern:
    """Return RE2's error, with the character position if RE2 gives one."""
    [said] = error.args
    told = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    if told.startswith("pattern too large"):
        return _too_large()
    what, separator, part = told.partition(": ")
    place = text.find(part) if separator and part else -1
    return BadPattern(f"{told}, at character {place + 1}" if place >= 0 else what)


def _too_large() -> CostlyPattern:
    return CostlyPattern(
        f"is too costly to search for, with more than {MAX_INSTRUCTIONS:,} instructions when it is compiled: {_ADVICE}"
    )
