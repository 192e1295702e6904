"""Complete a question that refers to its conversation, such as `what colour was it?`, with words of the last turns.

Words are taken from the user's turn, and from the beginning of the reply, because the rest of a long one is about more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

import regex

from everword.text.analysis import SOUTHEAST, UNSPACED, folded_words, words_of
from everword.text.common_words import LANGUAGES_OF, language_of
from everword.text.sentences import sentence_and_line_ends
from everword_search.ranking.words.frequencies import zipf
from everword_search.ranking.words.proper_names import may_be_name
from everword_search.retrieval.query.references import without_idle_pronouns

#: Turns to read: the newest may be the question, and calls of tools may come between a user's and an agent's turn.
TURNS_READ, TURNS_READ_BYTES = 8, 64 * 1024
#: Words taken from the turns. With more, a long turn outweighs the question.
MOST_WORDS = 6
#: A longer text is searched as it is.
_LONGEST_QUESTION = 30
#: Maximum words of an incomplete question without a pronoun: `And why?`, `And the price?`
_FEW_WORDS = 4
#: Maximum words, or pairs of characters, of an incomplete question in a language without a list of common words.
_FEW_UNKNOWN = 8
#: Words above this frequency (Zipf scale) say little about a topic.
_FREQUENT = 5.3
#: Characters of a turn in a language without a list of common words, whose topic is not told from its other words.
_CHARS = 80
#: Characters read of the beginning and of the end of a turn, and of a word: turns and encoded data can be megabytes.
_BEGINNING, _END, _LONGEST_WORD = 4000, 500, 40
_USER, _ASSISTANT = 2, 3
#: Pronouns and adverbs that may refer to an earlier turn.
_PRONOUNS = {
    "en": "it its this that these those they them their theirs he him his she her hers there then one ones same mine",
    "de": "es er sie ihn ihm ihr ihnen das dies dieser diese dieses da dort davon damit dafür darüber dazu daran denen",
    "fr": "ça cela il elle ils elles lui leur y celui celle ceux",
    "es": "eso esto ese esa esos esas él ella ellos ellas allí allá ahí su sus",
    "it": "quello quella quelli questo questa lui lei loro ci ne",
    "pt": "isso isto ele ela eles elas lá dele dela",
    "nl": "het hij zij ze hem haar hun daar dat dit er",
}
_PRONOUNS_OF = {language: frozenset(words.split()) for language, words in _PRONOUNS.items()}
#: Words of a question about its own author.
_ASKER = re.compile(
    r"\b(?:my|our|mein\w{0,2}|unsere?|mon|ma|mes|mis?|meu|minha|mi[oa]|mijn"
    r"|where do i (?:live|work)|who am i|how old am i)\b",
    re.IGNORECASE,
)
#: Scripts whose words are counted as pairs of characters.
_UNSPACED = regex.compile(rf"[{UNSPACED}{SOUTHEAST}]")
#: A symbol such as an emoji as the analysis writes it; as a word of a question it means nothing.
_SYMBOL = re.compile(r"u[0-9a-f]{4,6}")
_CONFIGS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}
#: First words of an incomplete question that has one word of content.
_CONNECTING = frozenset(("and", "und", "et", "y", "e", "en"))
_QUESTION_END = re.compile(r"(?:[?？؟]|か。?)\s*$")
_CLAUSE_END = re.compile(
    r"[,;:.!?…]|\b(?:and|or|but|because|und|oder|aber|weil|et|mais|y|pero|e|ma|mas|en|maar)\b"
)


class Turn(Protocol):
    """A message of a conversation."""

    @property
    def id(self) -> UUID: ...
    @property
    def seq(self) -> int: ...
    @property
    def role(self) -> int: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True)
class LastTurns:
    """A question and the last turns of its conversation before it."""

    question: str
    #: The latest message of a user and of an agent; empty if there is none.
    user: str = ""
    agent: str = ""
    #: These messages, and the question itself if it is stored already.
    ids: Sequence[UUID] = field(default_factory=tuple)

    @property
    def language(self) -> str:
        """Two-letter code of the language; empty if it has no list of common words."""
        return language_of(folded_words(f"{self.question} {self.user[:1000]} {self.agent[:1000]}"))


def last_turns(turns: Sequence[Turn], question: str) -> LastTurns:
    """Return the question with the last turns before it; `turns` are the newest of its conversation, newest first."""
    asked = turns[:1] if turns and turns[0].content.strip() == question.strip() else ()
    before = turns[len(asked) :]
    user = next((turn for turn in before if turn.role == _USER), None)
    agent = next((turn for turn in before if turn.role == _ASSISTANT), None)
    return LastTurns(
        question,
        _shortened(user.content) if user else "",
        _shortened(agent.content) if agent else "",
        [turn.id for turn in (*asked, user, agent) if turn],
    )


def _shortened(content: str) -> str:
    if len(content) <= _BEGINNING + _END:
        return content
    # Cut between words.
    beginning, *_ = content[:_BEGINNING].rsplit(maxsplit=1) or [""]
    *_, end = content[-_END:].split(maxsplit=1) or [""]
    return f"{beginning}\n{end}"


def word_list_of(turns: LastTurns) -> str:
    """Return the text search configuration whose word list `complete` uses."""
    return _CONFIGS.get(turns.language, "english")


def complete(turns: LastTurns) -> str:
    """Return the question with words of the last turns before it, or unchanged if it needs none.

    The first call for a language reads its word list (`WordLists`).
    """
    question = turns.question
    if not (turns.user or turns.agent) or len(words_of(question)) > _LONGEST_QUESTION:
        return question
    language, config = turns.language, word_list_of(turns)
    if not _is_incomplete(question, language, config):
        return question
    agent = _opening(turns.agent)
    if language:
        said = " ".join(_rarest(f"{turns.user} {agent}", question, language, config))
    else:
        said = f"{turns.user[:_CHARS]} {agent[:_CHARS]}"
    return f"{said} {question}".strip()


def _is_incomplete(question: str, language: str, config: str) -> bool:
    """Return whether a question has few words of content, or a pronoun and no name."""
    words, is_question = folded_words(question), _QUESTION_END.search(question) is not None
    if not language:
        return is_question and _has_few_unknown(question)
    if is_question and len(words) <= _FEW_WORDS:
        content = _content(words, language, config)
        # "What's my name?" asks about its author.
        if not content and not _ASKER.search(question):
            return True
        if len(content) == 1 and words[0] in _CONNECTING:
            return True
    pronouns = _PRONOUNS_OF.get(language, frozenset())
    if language == "en":
        question = without_idle_pronouns(question)
    if pronouns.isdisjoint(folded_words(question)):
        return False
    if any(may_be_name(word.lower(), config) for word in question.split()[1:] if word.istitle()):
        return False
    # In "When is the cutover, and why was it moved?" the pronoun refers to the first clause.
    for clause in _CLAUSE_END.split(question):
        clause_words = folded_words(clause)
        if not pronouns.isdisjoint(clause_words):
            return True
        if _content(clause_words, language, config):
            return False
    return False


def _has_few_unknown(question: str) -> bool:
    if _UNSPACED.search(question):
        return len(words_of(question)) <= _FEW_UNKNOWN
    return len(question.split()) <= _FEW_WORDS


def _content(words: Sequence[str], language: str, config: str) -> list[str]:
    return [
        word
        for word in words
        if 1 < len(word) <= _LONGEST_WORD
        and not word.isdecimal()
        and not _SYMBOL.fullmatch(word)
        and language not in LANGUAGES_OF.get(word, ())
        and zipf(word, config) < _FREQUENT
    ]


def _rarest(text: str, question: str, language: str, config: str) -> list[str]:
    """Return the rarest words of a text that the question lacks, in the order of the text."""
    asked = frozenset(folded_words(question))
    words = dict.fromkeys(word for word in _content(folded_words(text), language, config))
    new = [word for word in words if word not in asked]
    rarest = frozenset(sorted(new, key=lambda word: zipf(word, config))[:MOST_WORDS])
    return [word for word in new if word in rarest]


def _opening(text: str) -> str:
    """Return the first sentence of a reply, which answers the user, and the last one if it is a question."""
    text = text.strip()
    ends = list(sentence_and_line_ends(text))
    if len(ends) <= 2:
        return text
    last = text[ends[-2] :].strip()
    return f"{text[: ends[0]].strip()} {last if last.endswith('?') else ''}".strip()
