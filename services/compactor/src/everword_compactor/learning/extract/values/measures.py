"""Values with digits: days, amounts, versions, addresses."""

from __future__ import annotations

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.read_value import (
    Read,
    ends,
    low,
)

_DOSES = frozenset({"mg", "mcg", "g", "ml", "units", "iu", "µg"})
_WEIGHTS = frozenset({"kg", "kgs", "kilos", "kilo", "lbs", "pounds", "lb", "stone"})
_AFTER_ADDRESS = WORDS["after_address"]


def when(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a day or a time: `June 1`, `Thursday at 2`, `the end of March`, `2024-05-03`."""
    end, tells = at, False
    while end < min(at + 9, len(sentence.tokens)):
        token = sentence.tokens[end]
        dated = token.low in WORDS["months"] | WORDS["weekdays"] | WORDS["relative_days"]
        soon = token.low in {"week", "month"} and low(sentence, end - 1) in {"next", "this"}
        if dated or soon or token.text[0].isdigit():
            tells = True
        elif not _is_between(sentence, end):
            break
        end += 1
    while end > at and not _closes_date(sentence, end - 1):
        end -= 1
    return ([sentence.slice(at, end)], end) if tells and end > at else None


def calendar_day(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a day of a month: `June 1`, `1990-06-01`, and no `Monday`."""
    found = when(sentence, at)
    if found is None:
        return None
    words = found[0][0].lower().replace(".", " ").replace("-", " ").replace("/", " ").split()
    has_month = bool(WORDS["months"] & set(words)) or sum(word.isdigit() for word in words) > 1
    return found if has_month and any(character.isdigit() for character in found[0][0]) else None


def _is_between(sentence: TokenizedSentence, at: int) -> bool:
    term = low(sentence, at)
    if term == ",":
        following = low(sentence, at + 1)
        return following[:2] in {"19", "20"} or following in WORDS["months"] | {"at"}
    joins = {
        "the",
        "of",
        "at",
        "end",
        "mid",
        "next",
        "this",
        "early",
        "late",
        "am",
        "pm",
        "a.m",
        "p.m",
        "o'clock",
    }
    return term in joins


def _closes_date(sentence: TokenizedSentence, at: int) -> bool:
    term = low(sentence, at)
    return term not in {"the", "of", "at", "end", "mid", "next", "this", "early", "late", ","}


def _number(term: str) -> bool:
    digits = term.lstrip("$€£+-~").rstrip("%km").replace(",", "").replace(".", "")
    return digits.isdigit()


def money(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an amount: `$12,000`, `55k`, `40,000 euros`, `2 million dollars`."""
    while low(sentence, at) in {"about", "around", "roughly", "only"}:
        at += 1
    if not _number(low(sentence, at)):
        return None
    end = at + 1
    units = {
        "k",
        "million",
        "thousand",
        "euros",
        "euro",
        "eur",
        "usd",
        "dollars",
        "pounds",
        "gbp",
        "chf",
        "m",
    }
    while low(sentence, end) in units:
        end += 1
    return [sentence.slice(at, end)], end


def amount(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a dose or a weight: `50 mg`, `72kg`."""
    term = low(sentence, at)
    units = _DOSES | _WEIGHTS
    if _number(term) and low(sentence, at + 1) in units:
        return [sentence.slice(at, at + 2)], at + 2
    unit = term.lstrip("0123456789.,")
    return ([sentence.slice(at, at + 1)], at + 1) if unit in units and unit != term else None


def weight(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a weight: `72 kg`."""
    found = amount(sentence, at)
    return found if found and any(found[0][0].lower().endswith(unit) for unit in _WEIGHTS) else None


def years(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an age that is said as such: `44-year-old`, `19 year old`, `28yo`, or the number before a comma."""
    term = low(sentence, at)
    digits = term.rstrip("abcdefghijklmnopqrstuvwxyz-")
    if not digits.isdigit() or not 8 <= int(digits) <= 110:
        return None
    if term[len(digits) :].strip("-") in {"year-old", "years-old", "yo", "yrs-old", "yearold"}:
        return [digits], at + 1
    if digits == term and low(sentence, at + 1) in {"year", "years", "yr", "yrs"}:
        return ([digits], at + 3) if low(sentence, at + 2) == "old" else None
    return ([digits], at + 1) if digits == term and low(sentence, at + 1) in {",", ""} else None


def child_age(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read how old a child is: `7-year-old`, `7 year old`."""
    term = low(sentence, at)
    digits = term.partition("-")[0]
    if not digits.isdigit() or int(digits) > 18:
        return None
    if term.endswith(("-year-old", "-month-old")):
        return [digits], at + 1
    said = (low(sentence, at + 1), low(sentence, at + 2))
    return ([digits], at + 3) if said in {("year", "old"), ("month", "old")} else None


def year(sentence: TokenizedSentence, at: int) -> Read | None:
    term = low(sentence, at)
    return ([term], at + 1) if term.isdigit() and 1900 <= int(term) <= 2100 else None


def age(sentence: TokenizedSentence, at: int) -> Read | None:
    term = low(sentence, at)
    if not term.isdigit() or not 8 <= int(term) <= 110:
        return None
    if low(sentence, at + 1) in {"years", "year", "yrs"} and low(sentence, at + 2) == "old":
        return [term], at + 3
    return ([term], at + 1) if ends(sentence, at + 1) else None


def years_of_age(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an age that a learner of English says with "have": `23 years`, and no `23 years of experience`."""
    term = low(sentence, at)
    is_age = term.isdigit() and 8 <= int(term) <= 110 and low(sentence, at + 1) == "years"
    is_whole = low(sentence, at + 2) in {"", ",", "and", "old"}
    return ([term], at + 2) if is_age and is_whole else None


def any_age(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an age of any person, in whole years."""
    term = low(sentence, at)
    if term in WORDS["numbers"] and ends(sentence, at + 1):
        return [term], at + 1
    if not term.isdigit() or not 1 <= int(term) <= 110:
        return None
    if low(sentence, at + 1) in {"years", "year", "yrs"} and low(sentence, at + 2) == "old":
        return [term], at + 3
    return ([term], at + 1) if ends(sentence, at + 1) else None


def height(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a height in centimetres or metres: `182 cm`, `1.82 m`."""
    term, unit = low(sentence, at), low(sentence, at + 1)
    end = at + 2
    for each in ("cm", "m"):
        if term.endswith(each) and term[:1].isdigit():
            term, unit, end = term.removesuffix(each), each, at + 1
    digits = term.replace(".", "")
    in_cm = unit == "cm" and term.isdigit() and 100 <= int(term) <= 230
    in_m = unit in {"m", "metres", "meters"} and term.startswith(("1.", "2.")) and digits.isdigit()
    return ([sentence.slice(at, end)], end) if in_cm or in_m else None


def number(sentence: TokenizedSentence, at: int) -> Read | None:
    return ([low(sentence, at)], at + 1) if low(sentence, at).isdigit() else None


def port(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a number that can be a port without being called one."""
    found = number(sentence, at)
    return found if found and 1024 <= int(found[0][0]) <= 65535 else None


def version(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a version: `2.3`, `v1.4.0-rc1`."""
    text = sentence.tokens[at].text.lstrip("vV") if at < len(sentence.tokens) else ""
    return ([text], at + 1) if text[:1].isdigit() and len(text) <= 20 and "%" not in text else None


def dotted(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a version that cannot be another number: `2.0`."""
    found = version(sentence, at)
    return found if found and "." in found[0][0] and ends(sentence, at + 1) else None


def email(sentence: TokenizedSentence, at: int) -> Read | None:
    text = sentence.tokens[at].text if at < len(sentence.tokens) else ""
    local, _, host = text.partition("@")
    return ([text], at + 1) if local and "." in host and "@" not in host else None


def phone(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a number of at least seven digits."""
    end, digits = at, 0
    while end < len(sentence.tokens) and set(sentence.tokens[end].text) <= set("+0123456789-./()"):
        digits += sum(character.isdigit() for character in sentence.tokens[end].text)
        end += 1
    return ([sentence.slice(at, end)], end) if 7 <= digits <= 15 else None


def address(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an address: the rest of a sentence or clause, if it has a number."""
    end = at
    while end < len(sentence.tokens) and low(sentence, end) not in _AFTER_ADDRESS:
        end += 1
    if end > at and low(sentence, end - 1) == ",":
        end -= 1
    numbered = any(token.text[:1].isdigit() for token in sentence.tokens[at:end])
    return ([sentence.slice(at, end)], end) if numbered and end - at <= 15 else None


def street(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a number and a street."""
    if not low(sentence, at)[:1].isdigit():
        return None
    end = at + 1
    while end < min(at + 8, len(sentence.tokens)) and low(sentence, end) not in _AFTER_ADDRESS:
        end += 1
    named = any(token.low in WORDS["streets"] for token in sentence.tokens[at:end])
    return ([sentence.slice(at, end)], end) if named else None


def pronouns(sentence: TokenizedSentence, at: int) -> Read | None:
    term = low(sentence, at)
    return (
        ([term], at + 1)
        if term in {"she/her", "he/him", "they/them", "she/they", "he/they"}
        else None
    )
