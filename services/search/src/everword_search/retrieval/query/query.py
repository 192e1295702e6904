"""Parse queries: words, "exact phrases", OR, AND, NOT, +, - and prefix*. Pure; never raises an error.

A query is a list of clauses. OR binds tighter than AND: `a OR b AND c` means (a or b) and c. Meaningless operators,
such as a trailing OR or an unmatched quote, are ignored. Operators are upper case, so that a text may contain "or". In
a question, which ends with a question mark outside of quotes, there are no operators: in “What did she take from
"Becoming Nicole"?” the quotes enclose a title, and “What does rm -rf do?” excludes nothing. Only prefixes remain. Text
after the last question mark may contain operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import regex

from everword.text.analysis import is_single_character_word, words_of
from everword.text.literals import literal_tokens

#: Maximum clauses that must or must not match; further ones are ignored, because each costs time for every passage.
MAX_FILTER_CLAUSES = 64

_ITEM = regex.compile(
    r"""(?P<sign>(?<!\S)[+-](?=[^\s+-]))?
        (?: ["“”](?P<phrase>[^"“”]*)["“”]
          | (?P<bare>[^\s"“”]+)
          | ["“”] )""",
    regex.VERBOSE,
)
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_QUOTED = regex.compile(r"""["“”„«»][^"“”„«»]*["“”„«»]""")
# A question mark at the end of a word that is no URL, or before ideographs; also the full-width and Arabic marks.
_QUESTION_MARK = regex.compile(
    r"""(?<![/=&])\?(?=[^\p{L}\p{N}\s]{0,4}(?:\s|$)|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])
        | [？؟]""",
    regex.VERBOSE,
)
# A single star at the end; `*emphasis*` and `**bold**` are no prefixes.
_PREFIX = regex.compile(r"[^*]*[\p{L}\p{N}\p{M}]\*[.,;:!?)\]}]*")


class ClauseKind(Enum):
    """The condition that a clause sets for a passage."""

    OPTIONAL = "adds to the score"
    REQUIRED = "must match"
    EXCLUDED = "must not match"


@dataclass(frozen=True)
class Operand:
    """Words that belong together, such as `auth.rs` or a phrase."""

    text: str
    #: Never empty.
    words: tuple[str, ...]
    #: True if the last word is a prefix.
    prefix: bool = False


@dataclass(frozen=True)
class QueryClause:
    """Alternative operands, one of which suffices."""

    kind: ClauseKind
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class QueryClauses:
    """The clauses of a query."""

    clauses: tuple[QueryClause, ...]

    @property
    def wanted(self) -> list[Operand]:
        """The operands of all clauses that are not excluded, in the order of the text."""
        return [
            operand
            for clause in self.clauses
            if clause.kind is not ClauseKind.EXCLUDED
            for operand in clause.operands
        ]

    @property
    def excludes(self) -> bool:
        """True if a clause is excluded."""
        return any(clause.kind is ClauseKind.EXCLUDED for clause in self.clauses)

    @property
    def filters(self) -> list[QueryClause]:
        """The clauses that must or must not match."""
        return [clause for clause in self.clauses if clause.kind is not ClauseKind.OPTIONAL]


def parse_operands(text: str) -> QueryClauses:
    """Return the clauses of `text`; empty if it has no word."""
    end = _end_of_question(text)
    clauses = list(_any_of(text[:end], may_be_prefix=True).clauses)
    filters = 0
    for clause in _clauses(text[end:]):
        filters += clause.kind is not ClauseKind.OPTIONAL
        if clause.kind is ClauseKind.OPTIONAL or filters <= MAX_FILTER_CLAUSES:
            clauses.append(clause)
    return QueryClauses(tuple(clauses))


def parse_words(text: str) -> QueryClauses:
    """Return the words of `text` without operators, for a text that was not written as a query."""
    return _any_of(text, may_be_prefix=False)


def _end_of_question(text: str) -> int:
    """Return the end of the last question in `text`; 0 if there is none."""
    unquoted = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    return max((mark.end() for mark in _QUESTION_MARK.finditer(unquoted)), default=0)


def _any_of(text: str, *, may_be_prefix: bool) -> QueryClauses:
    operands = (_operand(token, may_be_prefix=may_be_prefix) for token in text.split())
    return QueryClauses(
        tuple(QueryClause(ClauseKind.OPTIONAL, (operand,)) for operand in operands if operand)
    )


@dataclass(frozen=True)
class _Operand:
    """An operand with the operators before it."""

    operand: Operand
    kind: ClauseKind
    joined_by_or: bool
    all_of: bool


def _clauses(text: str) -> list[QueryClause]:
    clauses: list[QueryClause] = []
    for item in _items(text):
        last = clauses[-1] if clauses else None
        if last and item.joined_by_or and ClauseKind.EXCLUDED not in (last.kind, item.kind):
            clauses[-1] = QueryClause(ClauseKind.REQUIRED, (*last.operands, item.operand))
            continue
        kind = item.kind
        if last and item.all_of:
            clauses[-1] = replace(last, kind=_required(last.kind))
            kind = _required(kind)
        clauses.append(QueryClause(kind, (item.operand,)))
    return clauses


def _required(kind: ClauseKind) -> ClauseKind:
    return ClauseKind.REQUIRED if kind is ClauseKind.OPTIONAL else kind


def _items(text: str) -> Iterator[_Operand]:
    """Yield operands in order; an operator applies to the following operand."""
    operators: set[str] = set()
    for match in _ITEM.finditer(text):
        bare = match["bare"]
        if bare in _OPERATORS and not match["sign"]:
            operators.add(bare)
            continue
        phrase = match["phrase"]
        operand = _operand(bare or phrase or "", may_be_prefix=bare is not None)
        if operand is None:
            continue
        yield _Operand(
            operand,
            _kind(match["sign"], operators, is_phrase=phrase is not None),
            joined_by_or="OR" in operators,
            all_of="AND" in operators,
        )
        operators = set()


def _kind(sign: str | None, operators: set[str], is_phrase: bool) -> ClauseKind:
    if sign == "-" or "NOT" in operators:
        return ClauseKind.EXCLUDED
    return ClauseKind.REQUIRED if sign == "+" or is_phrase else ClauseKind.OPTIONAL


def _operand(text: str, *, may_be_prefix: bool) -> Operand | None:
    """Return the words of `text`; None if it has none."""
    words = words_of(text)
    if not words:
        return None
    prefix = may_be_prefix and _PREFIX.fullmatch(text) is not None
    return Operand(text, tuple(words), prefix or is_single_character_word(words[-1]))


def query_literals(query: QueryClauses) -> list[str]:
    """Return the tokens that look like literals in the operands that are not excluded."""
    return literal_tokens(" ".join(operand.text for operand in query.wanted))
