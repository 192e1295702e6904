"""Speaker labels at the beginning of lines, such as "Ana:", for `attribution`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import regex

from everword.text.attribution_words import BRACKETED, DATE, STAMP, WORD, WORDS, label_words

#: A label with more words is a sentence of the author.
_MOST_WORDS = 4
#: A label before fewer words is that of a form: "Residence: Lisbon".
_LEAST_SPOKEN = 3
_FIRST_PERSON, _ROLES, _OWN = WORDS["first_person"], WORDS["roles"], WORDS["own_labels"]
_NAME = r"(?P<name>[^\n:：<>|\[\]]{1,60}?)"
_PREFIX = r"^[ \t\u200e\u200f]*(?:… ?)?(?:(?:[-*•–]|\d{1,3}[.)])[ \t]+)?"
_COLON = r"\s*(?::(?=\s|$|[\"“'*\p{L}])|：)"
_STAMPED = regex.compile(
    rf"{_PREFIX}(?:{BRACKETED}|{STAMP})\s*[-–—|,;\t]?\s*"
    rf"(?:<[@+~&%]?{_NAME}>|@?{_NAME}(?:{_COLON}| ?[>|] |;|,(?=\S|\s+I\b)))",
    regex.IGNORECASE,
)
_TAGGED = regex.compile(rf"{_PREFIX}<[@+~&%]?(?P<name>[\w.\- ]{{1,40}}?)>:?[ \t]+(?=\S)")
_PROMPT = regex.compile(rf"{_PREFIX}(?P<name>[\w.\-]{{1,30}}) ?>{{1,2}}[ \t]+(?=\S)")
#: A name with a time, on a line of its own or before a colon.
_HEADED = regex.compile(
    rf"{_PREFIX}@?{_NAME}(?:,?\s*{BRACKETED}\s*:?|(?:\s+[—–|•·-]\s*|  +|\t)(?:{STAMP})\s*:?"
    rf"|\s+(?:{DATE},? )?\d{{1,2}}:\d{{2}}\s?[AP]M\s*|,? (?:at |um |à )?{STAMP}:)(?=$|\s)",
    regex.IGNORECASE,
)
_PLAIN = regex.compile(
    rf"{_PREFIX}(?P<bold>\*\*|__|\*|_)?@?{_NAME}"
    rf"(?:\s*(?:\([^)\n]{{0,40}}\)|\[[^\]\n]{{0,40}}\]))?(?P=bold)?{_COLON}(?P<after>\*\*|__|\*|_)?"
    rf"|{_PREFIX}@?{_NAME}{_COLON}"
)
#: A name that may be followed by a time without a separator.
_NAME_LIKE = r"(?P<name>[\p{Lu}\p{Lo}][\w.'’-]*(?: (?:[\p{Lu}\p{Lo}][\w.'’-]*|\d{1,3})){0,3})"
#: "Ana 10:02" and "[10:02] Ana" on lines of their own.
_TIMED = regex.compile(
    rf"{_PREFIX}@?{_NAME_LIKE},?(?: +(?i:at|um|à|a las|alle))? +(?i:{STAMP}|{BRACKETED})\s*$"
    rf"|{_PREFIX}(?i:{BRACKETED})\s*[-–—]?\s*@?{_NAME_LIKE}\s*$"
)
#: "**User**" and "## Assistant", as chats are copied.
_HEADING = regex.compile(
    rf"{_PREFIX}(?P<mark>#{{1,6}} *|\*\*|__)?(?P<name>[\p{{L}}\p{{M}}]+(?: \d{{1,3}})?)"
    rf"(?P<end>:?(?:\*\*|__)?:?)\s*$"
)
#: "[Ana] I live in Rome".
_BRACED = regex.compile(rf"{_PREFIX}\[(?P<name>[^\n\[\]]{{1,40}})\]:?[ \t]+(?=\S)")
#: "Ana — I live in Rome".
_DASHED = regex.compile(
    rf"{_PREFIX}@?(?P<name>\p{{Lu}}[\w.'’]+(?: \p{{Lu}}[\w.'’]+)?)(?: +[-–—|]+ +|[;\t] ?)(?=\S)"
    rf"|{_PREFIX}(?P<name>[\w.\-]{{2,30}})(?: +\|+ +|\t)(?=\S)"
)
#: Between the columns of a table.
_COLUMN = regex.compile(r"[|;\t]")
_NUMBERED = regex.compile(r"#\d{1,5}\s*$")
_DIGIT = regex.compile(r"\d")
#: "I" in languages that put no spaces around it.
_I_UNSPACED = regex.compile(r"[我私僕俺]|(?:^|\s)(?:나는|저는|제가|내가)")
_HANDLE = regex.compile(r"^\s*(?:RT +)?(?:@|~|u/)(?=\w)")
_HTML = frozenset(
    ["b", "i", "u", "p", "br", "em", "strong", "li", "ul", "ol", "div", "span", "a", "hr"]
)


@dataclass(frozen=True)
class Label:
    """A speaker's name at the beginning of a line."""

    #: True if the name is one of the author's.
    is_own: bool
    #: The character of the line at which the words begin.
    at: int
    #: True if the label counts only when the message has other labels.
    is_weak: bool = False
    #: True if the speaker's text continues over empty lines, as in a copied chat.
    is_open: bool = False


def is_own_name(name: str, names: Collection[str]) -> bool:
    """Return whether a name means the author: the words of one are among those of the other."""
    words = set(label_words(name))
    if not words or words <= _ROLES:
        return False
    return any(
        own and (own <= words or words <= own) for own in (set(label_words(n)) for n in names)
    )


def is_greeting(text: str) -> bool:
    """Return whether a text is only a heading or a greeting, so that the speaker's text follows it."""
    words = label_words(text)
    return text.lstrip().startswith("#") or (
        0 < len(words) <= _MOST_WORDS and words[0] in WORDS["greetings"]
    )


def find_label(line: str, names: Collection[str]) -> Label | None:
    """Return the speaker label of a line; None without one, and for labels such as "Note:"."""
    has_digit = bool(_DIGIT.search(line))
    for form, is_possible in (
        (_STAMPED, has_digit),
        (_TAGGED, "<" in line),
        (_HEADED, has_digit),
        (_PROMPT, ">" in line),
    ):
        found = form.match(line) if is_possible else None
        if found and not (form is _TAGGED and found["name"].lower() in _HTML):
            is_weak = form is _PROMPT and _FIRST_PERSON.isdisjoint(label_words(line[found.end() :]))
            label = _label(found["name"], line, found.end(), names, is_marked=True)
            if label is not None:
                is_open = form in (_STAMPED, _HEADED)
                return replace(label, is_weak=is_weak or label.is_weak, is_open=is_open)
    copied = _find_copied(line, names)
    if copied is not None:
        return copied
    has_colon = ":" in line or "：" in line
    for form, is_possible in ((_PLAIN, has_colon), (_DASHED, True), (_BRACED, "[" in line)):
        found = form.match(line) if is_possible else None
        if found:
            name = next(each for each in found.captures("name") if each)
            label = _label(name, line, found.end(), names, has_colon=form is _PLAIN)
            # "Fred - I live in Rome" may as well be said to Fred.
            is_said_to = form is _DASHED and label is not None and not _COLUMN.search(found[0])
            return replace(label, is_weak=True) if label and is_said_to else label
    return None


def _find_copied(line: str, names: Collection[str]) -> Label | None:
    """Return a label that is a whole line, as in copied chats: a name with a time, or a role as a heading."""
    timed = _TIMED.match(line) if _DIGIT.search(line) else None
    if timed:
        name = next(each for each in timed.captures("name") if each)
        folded = label_words(name)
        if is_own_name(name, names):
            return Label(True, len(line))
        if folded and (_OWN | _FIRST_PERSON).isdisjoint(folded):
            return Label(False, len(line), is_open=True)
    heading = _HEADING.match(line)
    if heading and (heading["mark"] or heading["end"]):
        role = [word for word in label_words(heading["name"]) if not word.isdigit()]
        if role and role[0] in WORDS["chat_roles"]:
            return Label(False, len(line), is_open=True)
    return None


def _label(
    name: str,
    line: str,
    at: int,
    names: Collection[str],
    *,
    is_marked: bool = False,
    has_colon: bool = True,
) -> Label | None:
    # "ana#1234" is a handle.
    name, numbers = _NUMBERED.subn("", _HANDLE.sub("", name))
    is_marked = is_marked or numbers > 0
    words, folded, rest = WORD.findall(name), label_words(name), line[at:]
    if not folded or rest.startswith("//"):
        return None
    if not (any(map(str.isalpha, name)) or name.startswith("+")):
        return None
    if is_own_name(name, names):
        return Label(True, at)
    if not folded:
        # "+: more of it", and letters that form no word.
        return None
    spoken = label_words(rest)
    in_first_person = not _FIRST_PERSON.isdisjoint(spoken) or bool(_I_UNSPACED.search(rest))
    whose = folded[1:] if folded[0] in WORDS["owners"] else folded
    # "My sister Ana".
    is_foreign = (
        whose is not folded
        and len(whose) in (2, 3)
        and whose[0] in _ROLES
        and words[2][0].isupper()
    )
    if is_foreign or (whose and all(word in _ROLES or word.isdigit() for word in whose)):
        is_form = not in_first_person and len(spoken) < _LEAST_SPOKEN
        # "Q: I live in Rome. Where can I eat?" is one's own question.
        return Label(False, at, is_weak=is_form or whose in (["q"], ["a"]))
    if not is_marked and len(words) == 2 and words[1].isdigit():
        # "Day 1: I moved to Rome".
        return None
    if len(words) > _MOST_WORDS + 2 * is_marked or _is_own_label(folded, is_marked):
        return None
    if is_marked:
        return Label(False, at)
    if not has_colon and not in_first_person:
        return None
    return _judge_name(words, rest, at, in_first_person)


def _judge_name(words: list[str], rest: str, at: int, in_first_person: bool) -> Label | None:
    """Return the label of a name before a colon, which may be that of a topic too."""
    named = [word for word in words if word.lower() not in WORDS["particles"]]
    capital = all(_is_capital(word) for word in named)
    if capital or len(words) == 1:
        # "Falcon: the deadline is Friday" is about Falcon; "Fred: moved to Rome" leaves out the "I".
        leaves_out = not WORDS["subjectless"].isdisjoint(label_words(rest))
        is_said = in_first_person or (capital and (leaves_out or is_greeting(rest)))
        return Label(False, at, is_weak=not is_said)
    return Label(False, at, is_weak=True) if len(words) == 2 else None


def _is_own_label(folded: list[str], is_marked: bool) -> bool:
    """Return whether a label names a topic rather than a speaker: "Note", "My diet", "Fun fact"."""
    if is_marked and len(folded) > 1:
        return not _FIRST_PERSON.isdisjoint(folded)
    return not (_OWN | _FIRST_PERSON).isdisjoint(folded) or " ".join(folded) in _OWN


def _is_capital(word: str) -> bool:
    """Return whether a word may be a name: it has a capital, or is of a script without any, or is a handle."""
    return (
        not word[0].islower() or any(mark in word for mark in "_@.") or any(map(str.isdigit, word))
    )
