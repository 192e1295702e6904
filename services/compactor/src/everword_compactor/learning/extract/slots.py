"""Kinds of values: each reads one from a place in a sentence, or finds that there is none.

A slot looks at each token at most once, whatever the words are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everword_compactor.learning.extract.lexicon import (
    NO_NAMES,
    SOFTWARE,
    STOPS,
    WORDS,
    is_drug,
)
from everword_compactor.learning.extract.model import Sentence

#: Values, and the place after them.
Read = tuple[Sequence[str], int]
Slot = Callable[[Sentence, int], Read | None]
_MARKS = frozenset(",;:()\"*_`~[]{}'/")
_JOINERS = frozenset({"of", "de", "del", "la", "da", "do", "dos", "&", "the", "van", "von", "upon"})
_ARTICLES = frozenset({"a", "an", "the", "my", "our"})
#: What is no thing that somebody likes, eats or has.
_VAGUE = frozenset(
    """it that this these those something anything everything nothing things stuff one ones lot bit you u him her them us
    me how when what why being having seeing hearing to all some any every much more most such so here there yours mine
    everyone someone people same way idea ideas thing sound part fact day days feeling your his their its""".split()
)


def _ends(sentence: Sentence, at: int) -> bool:
    """Tell whether what was read is whole: nothing follows, or a mark, or a word that goes on with something else."""
    if at >= len(sentence.tokens):
        return True
    low = sentence.tokens[at].low
    return low in _MARKS or low in STOPS


def _low(sentence: Sentence, at: int) -> str:
    return sentence.tokens[at].low if at < len(sentence.tokens) else ""


def _names(sentence: Sentence, at: int, most: int, joiners: frozenset[str] = _JOINERS) -> int:
    """Return the place after words with a capital, at most so many; `at` where there is none."""
    end = place = at
    while place < len(sentence.tokens) and place - at < most:
        token = sentence.tokens[place]
        if token.is_capital or (place > at and token.text[:1].isdigit()):
            end = place + 1
        elif token.low not in joiners or place == at:
            break
        place += 1
    return end


def name(sentence: Sentence, at: int) -> Read | None:
    """Read the name of somebody: `Anna`, `Anna Maria Berg`."""
    end = _names(sentence, at, 3, frozenset())
    if end == at or any(t.low in NO_NAMES or not t.text.isalpha() for t in sentence.tokens[at:end]):
        return None
    if any(t.text.isupper() and len(t.text) > 1 for t in sentence.tokens[at:end]):
        return None
    return [sentence.slice(at, end)], end


def names(sentence: Sentence, at: int) -> Read | None:
    """Read the names of several."""
    return _list(sentence, at, name)


def place(sentence: Sentence, at: int) -> Read | None:
    """Read the name of a place: `Lisbon`, `New York City`, `Portland, Oregon`."""
    end = _names(sentence, at, 5)
    if end == at:
        return _small_place(sentence, at)
    low = sentence.slice(at, end).lower()
    first = sentence.tokens[at]
    odd = any(character.isupper() for character in first.text[2:]) or not first.text[0].isalpha()
    if low in SOFTWARE or first.low in NO_NAMES | SOFTWARE or odd or not _ends(sentence, end):
        return None
    state = _names(sentence, end + 1, 2) if _low(sentence, end) == "," else end
    if state > end + 1 and (state == len(sentence.tokens) or _low(sentence, state) == ","):
        end = state
    return [sentence.slice(at, end)], end


def _small_place(sentence: Sentence, at: int) -> Read | None:
    """Read a place of somebody who writes without capitals: one word, and nothing after it."""
    low = _low(sentence, at)
    if not sentence.is_small or not low.isalpha() or low in STOPS | _VAGUE | _ARTICLES | SOFTWARE:
        return None
    if len(low) < 4 or low in NO_NAMES or not _ends(sentence, at + 1):
        return None
    return [sentence.slice(at, at + 1)], at + 1


def organisation(sentence: Sentence, at: int) -> Read | None:
    """Read who somebody works for: `Acme`, `Danske Bank`, `a small law firm`."""
    if _low(sentence, at) in {"a", "an", "the"}:
        for end in range(at + 2, min(at + 6, len(sentence.tokens) + 1)):
            word = sentence.tokens[end - 1]
            if word.low in WORDS["orgs"] and _ends(sentence, end):
                return ([sentence.slice(at, end)], end) if not word.is_capital else None
            if word.low in STOPS | _MARKS:
                break
    start = at + 1 if _low(sentence, at) == "the" else at
    end = _names(sentence, start, 5)
    if end == start or sentence.tokens[start].low in NO_NAMES or not _ends(sentence, end):
        return None
    return [sentence.slice(start, end)], end


def job(sentence: Sentence, at: int) -> Read | None:
    """Read what somebody does: up to three words, and then one that names a job."""
    for end in range(at + 1, min(at + 5, len(sentence.tokens) + 1)):
        low = sentence.tokens[end - 1].low
        if low in STOPS | _MARKS or low in {"best", "good", "great", "better", "bad", "terrible"}:
            return None
        if low in WORDS["jobs"] and _ends(sentence, end):
            return [sentence.slice(at, end)], end
    return None


def role(sentence: Sentence, at: int) -> Read | None:
    """Read what somebody works as: up to four words."""
    return job(sentence, at) or _phrase(sentence, at, 4, capitals=True)


def thing(sentence: Sentence, at: int) -> Read | None:
    """Read a thing: up to three words."""
    found = _phrase(sentence, at, 3)
    if found is None or _low(sentence, at) in _ARTICLES | _VAGUE:
        return None
    return found


def things(sentence: Sentence, at: int) -> Read | None:
    return _list(sentence, at, thing)


def word(sentence: Sentence, at: int) -> Read | None:
    """Read a thing of one or two words that is all that is said."""
    end = at
    while end < min(at + 2, len(sentence.tokens)) and not _ends(sentence, end):
        if sentence.tokens[end].low in _VAGUE | _ARTICLES:
            return None
        end += 1
    whole = end == len(sentence.tokens)
    return ([sentence.slice(at, end)], end) if end > at and whole else None


def favourite(sentence: Sentence, at: int) -> Read | None:
    """Read what somebody likes best: up to five words, or a title."""
    start = at + 1 if _low(sentence, at) in {"a", "an", "the"} else at
    if _low(sentence, start) in _VAGUE | {"my", "probably", "definitely", "when", "not", "either"}:
        return None
    if _low(sentence, start).endswith("ing") and _low(sentence, start) not in WORDS["hobbies"]:
        return None
    return _phrase(sentence, start, 5, capitals=True)


def _phrase(sentence: Sentence, at: int, most: int, *, capitals: bool = False) -> Read | None:
    end = at
    while end < len(sentence.tokens) and (not _ends(sentence, end) or (capitals and end == at)):
        if end - at >= most or _low(sentence, end) in {"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"}:
            return None
        end += 1
    return ([sentence.slice(at, end)], end) if end > at else None


def when(sentence: Sentence, at: int) -> Read | None:
    """Read a day or a time: `June 1`, `Thursday at 2`, `the end of March`, `2024-05-03`."""
    end, tells = at, False
    while end < min(at + 9, len(sentence.tokens)):
        token = sentence.tokens[end]
        dated = token.low in WORDS["months"] | WORDS["weekdays"] | WORDS["relative_days"]
        if dated or token.text[0].isdigit():
            tells = True
        elif token.low in {"week", "month"} and _low(sentence, end - 1) in {"next", "this"}:
            tells = True
        elif not _is_between(sentence, end):
            break
        end += 1
    while end > at and not _closes_date(sentence, end - 1):
        end -= 1
    return ([sentence.slice(at, end)], end) if tells and end > at else None


def _is_between(sentence: Sentence, at: int) -> bool:
    low = _low(sentence, at)
    if low == ",":
        following = _low(sentence, at + 1)
        return following[:2] == "20" or following in WORDS["months"] | {"at"}
    joins = {"the", "of", "at", "end", "mid", "next", "this", "early", "late", "am", "pm", "a.m", "p.m", "o'clock"}
    return low in joins


def _closes_date(sentence: Sentence, at: int) -> bool:
    low = _low(sentence, at)
    return low not in {"the", "of", "at", "end", "mid", "next", "this", "early", "late", ","}


def _number(low: str) -> bool:
    digits = low.lstrip("$€£+-~").rstrip("%km").replace(",", "").replace(".", "")
    return digits.isdigit()


def money(sentence: Sentence, at: int) -> Read | None:
    """Read an amount: `$12,000`, `55k`, `40,000 euros`, `2 million dollars`."""
    while _low(sentence, at) in {"about", "around", "roughly", "only"}:
        at += 1
    if not _number(_low(sentence, at)):
        return None
    end = at + 1
    units = {"k", "million", "thousand", "euros", "euro", "eur", "usd", "dollars", "pounds", "gbp", "chf", "m"}
    while _low(sentence, end) in units:
        end += 1
    return [sentence.slice(at, end)], end


def amount(sentence: Sentence, at: int) -> Read | None:
    """Read a dose or a weight: `50 mg`, `72kg`."""
    low = _low(sentence, at)
    units = {"mg", "mcg", "g", "ml", "units", "iu", "kg", "kgs", "kilos", "lbs", "pounds", "lb"}
    if _number(low) and _low(sentence, at + 1) in units:
        return [sentence.slice(at, at + 2)], at + 2
    unit = low.lstrip("0123456789.,")
    return ([sentence.slice(at, at + 1)], at + 1) if unit in units and unit != low else None


def age(sentence: Sentence, at: int) -> Read | None:
    low = _low(sentence, at)
    if not low.isdigit() or not 8 <= int(low) <= 110:
        return None
    if _low(sentence, at + 1) == "years" and _low(sentence, at + 2) == "old":
        return [low], at + 3
    return ([low], at + 1) if at + 1 == len(sentence.tokens) or _low(sentence, at + 1) in {",", "and", "now"} else None


def number(sentence: Sentence, at: int) -> Read | None:
    return ([_low(sentence, at)], at + 1) if _low(sentence, at).isdigit() else None


def version(sentence: Sentence, at: int) -> Read | None:
    """Read a version: `2.3`, `v1.4.0-rc1`."""
    text = sentence.tokens[at].text.lstrip("vV") if at < len(sentence.tokens) else ""
    return ([text], at + 1) if text[:1].isdigit() and len(text) <= 20 and "%" not in text else None


def email(sentence: Sentence, at: int) -> Read | None:
    text = sentence.tokens[at].text if at < len(sentence.tokens) else ""
    local, _, host = text.partition("@")
    return ([text], at + 1) if local and "." in host and "@" not in host else None


def title(sentence: Sentence, at: int) -> Read | None:
    """Read a name of up to five words that begins a sentence."""
    end = _names(sentence, at, 5)
    if at or end == at or sentence.tokens[at].low in STOPS | _VAGUE | {"one", "which", "painting"}:
        return None
    return [sentence.slice(at, end)], end


def phone(sentence: Sentence, at: int) -> Read | None:
    """Read a number of at least seven digits."""
    end, digits = at, 0
    while end < len(sentence.tokens) and set(sentence.tokens[end].text) <= set("+0123456789-./()"):
        digits += sum(character.isdigit() for character in sentence.tokens[end].text)
        end += 1
    return ([sentence.slice(at, end)], end) if 7 <= digits <= 15 else None


def address(sentence: Sentence, at: int) -> Read | None:
    """Read the rest of a sentence that has a number."""
    end = len(sentence.tokens)
    numbered = any(token.text[:1].isdigit() for token in sentence.tokens[at:end])
    return ([sentence.slice(at, end)], end) if numbered and end - at <= 15 else None


def rest(sentence: Sentence, at: int) -> Read | None:
    """Read up to twelve words, to the next mark."""
    end = at
    while end < len(sentence.tokens) and sentence.tokens[end].low not in _MARKS:
        end += 1
    return ([sentence.slice(at, end)], end) if 1 < end - at <= 12 else None


def car(sentence: Sentence, at: int) -> Read | None:
    """Read a make or a model."""
    end = at
    while end < len(sentence.tokens) and end - at < 4 and not _ends(sentence, end):
        end += 1
    words = {token.low for token in sentence.tokens[at:end]}
    return ([sentence.slice(at, end)], end) if words & WORDS["vehicles"] else None


def drug(sentence: Sentence, at: int) -> Read | None:
    low = _low(sentence, at)
    return ([low], at + 1) if is_drug(low) else None


def drugs(sentence: Sentence, at: int) -> Read | None:
    return _list(sentence, at, drug)


def pronouns(sentence: Sentence, at: int) -> Read | None:
    low = _low(sentence, at)
    return ([low], at + 1) if low in {"she/her", "he/him", "they/them", "she/they", "he/they"} else None


def _of_kind(kind: str) -> Slot:
    """Return a slot that reads a word of a kind, or two."""

    def read(sentence: Sentence, at: int) -> Read | None:
        for length in (3, 2, 1):
            end = at + length
            if end <= len(sentence.tokens) and sentence.slice(at, end).lower() in WORDS[kind]:
                return [sentence.slice(at, end)], end
        return None

    return read


def hobby(sentence: Sentence, at: int) -> Read | None:
    """Read what somebody does for fun, and not what they have to do: `running`, no `running some errands`."""
    low, following = _low(sentence, at), _low(sentence, at + 1)
    alone = _ends(sentence, at + 1) and following not in _ARTICLES | _VAGUE
    return ([low], at + 1) if low in WORDS["hobbies"] and alone else None


def _list(sentence: Sentence, at: int, one: Slot) -> Read | None:
    """Read values that follow each other: `Redis, Kafka and Celery`."""
    values: list[str] = []
    end = at
    while found := one(sentence, at):
        values += found[0]
        end = at = found[1]
        while _low(sentence, at) in {",", "and", "or"}:
            at += 1
        if at == end:
            break
    return (values, end) if values else None


def _several(one: Slot) -> Slot:
    return lambda sentence, at: _list(sentence, at, one)


SLOTS: dict[str, Slot] = {
    "name": name,
    "names": names,
    "place": place,
    "organisation": organisation,
    "job": job,
    "role": role,
    "thing": thing,
    "things": things,
    "word": word,
    "favourite": favourite,
    "when": when,
    "money": money,
    "amount": amount,
    "age": age,
    "number": number,
    "version": version,
    "email": email,
    "phone": phone,
    "address": address,
    "rest": rest,
    "car": car,
    "drug": drug,
    "drugs": drugs,
    "pronouns": pronouns,
    "diet": _of_kind("diets"),
    "marital": _of_kind("marital"),
    "nationality": _of_kind("nationalities"),
    "language": _several(_of_kind("languages")),
    "condition": _several(_of_kind("conditions")),
    "database": _of_kind("databases"),
    "editor": _of_kind("editors"),
    "tool": _several(_of_kind("tools")),
    "software": _of_kind("tools"),
    "game": _several(_of_kind("games")),
    "instrument": _several(_of_kind("instruments")),
    "count": _of_kind("counts"),
    "school": _of_kind("schools"),
    "title": title,
    "hobby": _several(hobby),
}
