"""Turn a parsed query into terms and constraints, with the namespace's own stemming and stop words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from everword.text.analysis import is_single_character_word
from everword.text.lexeme_hash import hash_lexeme
from everword.text.lexemes import analyse, literal_lexemes
from everword.text.stemming import plain_spellings
from everword_search.retrieval.arms.lexical import MAX_TERMS, Term, prefix_query
from everword_search.retrieval.query.query import ClauseKind, Operand, QueryClause, QueryClauses


@dataclass(frozen=True)
class AnalysedQuery:
    """The terms and constraints of a query."""

    terms: list[Term]
    #: A tsquery as text that a passage must match; None without a constraint.
    constraint: str | None
    #: Words of the query, in lower case, that are not indexed.
    ignored: frozenset[str] = frozenset()
    #: Hash of each word, in lower case, that is a single lexeme; of accented words also without accents.
    words: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_prefix(self) -> bool:
        """True if one of the terms is a prefix."""
        return any(term.prefix is not None for term in self.terms)


def analyse_query(query: QueryClauses, config: str) -> AnalysedQuery:
    """Return the terms and constraints of `query` in a text search configuration."""
    known = [analyse(word, config) for operand in query.wanted for word in operand.words]
    ignored = frozenset(each.text.lower() for each in known if not each.lexemes)
    plain = [
        analyse(other, config) for each in known for other in plain_spellings(each.text.lower())
    ]
    words = {each.text.lower(): each.hashes[0] for each in known + plain if len(each.hashes) == 1}
    terms, constraint = _terms(query.wanted, config), _constraint(query.filters, config)
    return AnalysedQuery(terms, constraint, ignored, words)


def _operands(clauses: Iterable[QueryClause]) -> Iterator[Operand]:
    return (operand for clause in clauses for operand in clause.operands)


def _terms(operands: Iterable[Operand], config: str) -> list[Term]:
    """Return each lexeme once, in the order of the query."""
    terms: dict[tuple[str, bool], Term] = {}
    for operand in operands:
        for place, word in enumerate(operand.words, start=1):
            is_prefix = is_single_character_word(word) or (
                operand.prefix and place == len(operand.words)
            )
            for term in _terms_of(word, config, is_prefix):
                terms.setdefault((term.lexeme, is_prefix), term)
        for lexeme in literal_lexemes(operand.text):
            terms.setdefault((lexeme, False), _term(lexeme, lexeme))
    return list(terms.values())[:MAX_TERMS]


def _terms_of(word: str, config: str, is_prefix: bool) -> list[Term]:
    if is_prefix:
        return [Term(f"{word}*", _stem(word, config), word.lower())]
    # A text may have the word without its accents, as many names are typed.
    spellings = (word, *plain_spellings(word.lower()))
    return [_term(word, each) for other in spellings for each in analyse(other, config).lexemes]


def _term(word: str, lexeme: str) -> Term:
    return Term(word, lexeme, hash=hash_lexeme(lexeme))


def _stem(word: str, config: str) -> str:
    """Return the lexeme of a word, or the word itself if it is a stop word, because longer words begin with it."""
    lexemes = analyse(word, config).lexemes
    return lexemes[0] if len(lexemes) == 1 else word.lower()


def _constraint(clauses: Iterable[QueryClause], config: str) -> str | None:
    """Return the conjunction of required and excluded operands; words that are not indexed are no constraint."""
    demands = []
    for clause in clauses:
        alternatives = [f"({query})" for o in clause.operands if (query := _query(o, config))]
        if alternatives:
            sign = "!" if clause.kind is ClauseKind.EXCLUDED else ""
            demands.append(f"{sign}({' | '.join(alternatives)})")
    return " & ".join(demands) or None


def _query(operand: Operand, config: str) -> str:
    """Return the tsquery of an operand: all of its phrases must match."""
    queries = [analyse(text, config).phrase for text in _phrases(operand)]
    if operand.prefix:
        last = operand.words[-1]
        queries[-1] = prefix_query(last.lower(), _stem(last, config))
    return " & ".join(f"({query})" for query in queries if query)


def _phrases(operand: Operand) -> list[str]:
    """Return the phrases of an operand: one, or the words before a prefix and the prefix."""
    if not operand.prefix:
        return [" ".join(operand.words)]
    before = [" ".join(operand.words[:-1])] if len(operand.words) > 1 else []
    return [*before, operand.words[-1]]
