"""Weight of a line by its speaker and its position in a text: people's words weigh more than assistants' lists."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from everword.text.analysis import folded_words
from everword.text.values.calendar_words import MONTHS
from everword_compactor.compose.cues import CHATTER, KINDS, PLAN, starts_with
from everword_compactor.compose.extractive.bullets import Bullet
from everword_compactor.compose.extractive.phrases import word_weight
from everword_compactor.compose.extractive.sentences import SentenceKind
from everword_compactor.compose.model import LECTURE_CHARS, Source

_ASSISTANT = 3
#: Weight of a line without a decision, a task or a cause, relative to one with it.
_ORDINARY = 0.65
#: The same for one with a plan, a name, a number or an identifier.
_VALUED = 0.75
#: Factor of a line of an assistant's lecture; of one in a short message, by its content; and of one in a list.
_OF_ASSISTANT = 0.3
_SHORT_OF_ASSISTANT = 0.45
_ANNOUNCED_BY_ASSISTANT = 0.8
_VALUED_BY_ASSISTANT = 0.6
_LISTED = 0.5
#: Factor of a line that begins with a word such as `it`, whose reference may be missing.
_DEPENDENT = 0.6
#: Such a line of at most this many words says nothing alone, unless it has a value.
_VAGUE_WORDS = 6
#: Factor of a line that a bracket is open in: it was cut out of a sentence.
_TORN = 0.3
#: Factor of a line that encourages or thanks.
_CHATTER = 0.4
#: A line of at most this many words is a fragment unless it has a number, or `_NAMING_WORDS` words that name something.
_FRAGMENT_WORDS, _NAMING_WORDS = 5, 2
#: Smallest weight of a word that names something.
_NAMING = 0.3
_DIGIT = re.compile(r"\d")
# A name has a capital that does not begin a sentence.
_VALUE = re.compile(r"\d|(?<=[a-zäöüß,;:] )[A-ZÄÖÜ][^\W\d_]{2,}|\w[_/]\w|\w\.[a-z]{2,}")
_FIRST_NAME = re.compile(r"[A-ZÄÖÜ][^\W\d_]{2,}(?=\s)")
#: Smallest weight of a first word that may be a name.
_NAME_WEIGHT = 0.45
#: Number of words with a digit from which a line is dense.
_DENSE_WORDS = 3
#: Lines of code tell little without the others. What is no sentence there and has no values tells nothing.
_CODE = 0.1
_CODE_WORDS = 5
_CODE_LETTERS = 0.85
#: A label has at most this many words; a longer line that ends with a colon says something.
_LABEL_WORDS = 10
#: A list title of at most this many words is a label.
_TITLE_WORDS = 3
#: A greeting is no longer.
_COURTESY_CHARS = 40
_COURTESIES = """
good hi hello hey dear morning afternoon evening night bye goodbye later certainly sure surely absolutely definitely
of course great awesome wonderful excellent perfect fantastic amazing nice cool wow haha lol thanks thank welcome
hallo guten danke bitte gerne klar natürlich tschüss bonjour salut merci bien hola gracias claro buenos adiós
ciao grazie certo buongiorno prego dank bedankt zeker olá obrigado obrigada привет спасибо конечно
"""
_COURTEOUS = frozenset(_COURTESIES.split())
_AFTER_COURTESIES = """
good see you soon so much very got it sounds to hear that that's there for the tip tips advice sharing ok okay yes yeah
yep no talk speak nope your you're re s t are how doing been everyone all both again
tag abend sehr gut sûr beaucoup revoir muchas gracias días
"""
_BESIDE = _COURTEOUS | frozenset(_AFTER_COURTESIES.split())


def weight_of(
    bullet: Bullet, kind: SentenceKind, source: Source, agent: str, kinds: AbstractSet[str]
) -> float:
    """Return how much a line of a source counts, from 0, which is nothing, to 1.

    `kinds` are those of its cues.
    """
    text = bullet.text
    if (
        (kind is SentenceKind.LABEL and _is_label(text, source))
        or is_courtesy(text)
        or (kind is SentenceKind.ITEM and _is_title(text))
        or (kind is SentenceKind.PROSE and _is_fragment(text, is_chatter=CHATTER in kinds))
    ):
        return 0.0
    is_announced = not kinds.isdisjoint(KINDS)
    is_valued = has_value(text)
    weight = 1.0 if is_announced else _VALUED if is_valued or PLAN in kinds else _ORDINARY
    if CHATTER in kinds and not _DIGIT.search(text):
        weight *= _CHATTER
    if kind is SentenceKind.CODE:
        is_announced, is_valued, weight = False, False, _CODE if _is_informative_line(text) else 0.0
    if starts_with("dependent", folded_words(text)):
        is_short = len(text.split()) <= _VAGUE_WORDS and not (is_announced or is_valued)
        weight *= 0.0 if is_short else _DEPENDENT
    if text.count("(") != text.count(")"):
        weight *= _TORN
    if not is_assistant(bullet, kind, source, agent):
        return weight
    is_lecture = source.role == _ASSISTANT and len(source.readable_text) > LECTURE_CHARS
    if is_lecture:
        weight *= _OF_ASSISTANT
    elif is_announced:
        weight *= _ANNOUNCED_BY_ASSISTANT
    else:
        weight *= _VALUED_BY_ASSISTANT if is_valued else _SHORT_OF_ASSISTANT
    return weight * (_LISTED if kind is SentenceKind.ITEM else 1.0)


def _is_label(text: str, source: Source) -> bool:
    return source.role == _ASSISTANT or len(text.split()) <= _LABEL_WORDS


def has_value(text: str) -> bool:
    """Return whether a line has a number, a name or an identifier."""
    if _VALUE.search(text):
        return True
    first = _FIRST_NAME.match(text)
    return first is not None and word_weight(first[0].lower()) > _NAME_WEIGHT


def is_dense(text: str) -> bool:
    """Return whether a line has several numbers or identifiers."""
    return sum(_DIGIT.search(word) is not None for word in text.split()) >= _DENSE_WORDS


def _is_fragment(text: str, *, is_chatter: bool) -> bool:
    """Return whether a line is too short to be understood alone, or to say more than a greeting."""
    words = folded_words(text)
    if len(words) > _FRAGMENT_WORDS:
        return False
    if is_chatter and not _DIGIT.search(text):
        return True
    naming = [word for word in words if word not in MONTHS and word_weight(word) > _NAMING]
    naming = [word for word in naming if not _DIGIT.search(word)]
    return len(naming) < (1 if _DIGIT.search(text) else _NAMING_WORDS)


def _is_informative_line(code: str) -> bool:
    """Return whether a line of code is informative: a sentence, such as an error message, or full of values; not a
    comment.
    """
    if not code[:1].isalnum():
        return False
    letters = sum(letter.isalpha() or letter.isspace() for letter in code)
    is_sentence = len(code.split()) >= _CODE_WORDS and letters >= _CODE_LETTERS * len(code)
    return is_sentence or is_dense(code)


def is_assistant(bullet: Bullet, kind: SentenceKind, source: Source, agent: str) -> bool:
    """Return whether an assistant says a line. One of two people who talk may have its role, and a name."""
    nameless = bullet.speaker.casefold() in {"assistant", (source.agent or agent).casefold()}
    if source.level:
        return nameless
    is_lecture = len(source.readable_text) > LECTURE_CHARS or kind is SentenceKind.ITEM
    return source.role == _ASSISTANT and (nameless or is_lecture)


def is_courtesy(text: str) -> bool:
    """Return whether a line only greets or thanks, perhaps with a name."""
    if len(text) > _COURTESY_CHARS:
        return False
    words = folded_words(text)
    if not words or words[0] not in _COURTEOUS:
        return False
    others = [word for word in words if word not in _BESIDE]
    return len(others) <= 1 and all(
        f" {word}" in text.lower() and word.title() in text for word in others
    )


def _is_title(text: str) -> bool:
    words = text.strip("*_` ")
    return (
        len(words.split()) <= _TITLE_WORDS
        and words[-1:] not in ".!?…。"
        and not any(letter.isdigit() for letter in words)
    )
