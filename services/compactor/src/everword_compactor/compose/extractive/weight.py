"""Weight of a line by its speaker and its position in a text: people's words weigh more than assistants' lists."""

from __future__ import annotations

from everword.text.analysis import folded_words
from everword_compactor.compose.extractive.budget import is_dense
from everword_compactor.compose.extractive.bullets import Bullet
from everword_compactor.compose.extractive.sentences import SentenceKind
from everword_compactor.compose.model import Source

_ASSISTANT = 3
#: Weight of an assistant's line relative to a person's, and its factor in a list.
_OF_ASSISTANT = 0.3
_LISTED = 0.5
#: A longer message of an assistant is a lecture.
_LECTURE_CHARS = 600
#: Lines of code tell little without the others. What is no sentence there and has no values tells nothing.
_CODE = 0.1
_CODE_WORDS = 5
_CODE_LETTERS = 0.85
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
yep no nope your you're re s t are how doing been everyone all both again
tag abend sehr gut sûr beaucoup revoir muchas gracias días
"""
_BESIDE = _COURTEOUS | frozenset(_AFTER_COURTESIES.split())


def weight_of(bullet: Bullet, kind: SentenceKind, source: Source, agent: str) -> float:
    """Return how much a line of a source counts, from 0, which is nothing, to 1."""
    if (
        kind is SentenceKind.LABEL
        or _is_courtesy(bullet)
        or (kind is SentenceKind.ITEM and _is_title(bullet.text))
    ):
        return 0.0
    if kind is SentenceKind.CODE and not _is_informative_line(bullet.text):
        return 0.0
    weight = _CODE if kind is SentenceKind.CODE else 1.0
    if _is_assistant(bullet, kind, source, agent):
        weight *= _OF_ASSISTANT * (_LISTED if kind is SentenceKind.ITEM else 1.0)
    return weight


def _is_informative_line(code: str) -> bool:
    """Return whether a line of code is informative: a sentence, such as an error message, or full of values; not a
    comment.
    """
    if not code[:1].isalnum():
        return False
    letters = sum(letter.isalpha() or letter.isspace() for letter in code)
    is_sentence = len(code.split()) >= _CODE_WORDS and letters >= _CODE_LETTERS * len(code)
    return is_sentence or is_dense(code)


def _is_assistant(bullet: Bullet, kind: SentenceKind, source: Source, agent: str) -> bool:
    """Return whether an assistant says a line. One of two people who talk may have its role, and a name."""
    nameless = bullet.speaker.casefold() in {"assistant", (source.agent or agent).casefold()}
    if source.level:
        return nameless
    is_lecture = len(source.readable_text) > _LECTURE_CHARS or kind is SentenceKind.ITEM
    return source.role == _ASSISTANT and (nameless or is_lecture)


def _is_courtesy(bullet: Bullet) -> bool:
    """Return whether a line only greets or thanks, perhaps with a name."""
    if len(bullet.text) > _COURTESY_CHARS:
        return False
    words = folded_words(bullet.text)
    if not words or words[0] not in _COURTEOUS:
        return False
    others = [word for word in words if word not in _BESIDE]
    return len(others) <= 1 and all(
        f" {word}" in bullet.text.lower() and word.title() in bullet.text for word in others
    )


def _is_title(text: str) -> bool:
    words = text.strip("*_` ")
    return (
        len(words.split()) <= _TITLE_WORDS
        and words[-1:] not in ".!?…。"
        and not any(letter.isdigit() for letter in words)
    )
