"""Turn a parsed query into terms and constraints, with the namespace's own stemming and stop words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from everword.text.analysis import is_single_character_word
from everword_search.passages.store import AnalysedText
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
    #: Hash of each word, in lower case, that is a single lexeme.
    words: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_prefix(self) -> bool:
        """True if one of the terms is a prefix."""
        return any(term.prefix is not None for term in self.terms)


def texts_to_analyse(query: QueryClauses) -> list[str]:
    """Return the texts of a query that the database must analyse before `analyse_query`."""
    texts = {word for operand in query.wanted for word in operand.words}
    for operand in _operands(query.filters):
        texts.update(_phrases(operand))
    return sorted(texts)


def analyse_query(query: QueryClauses, known: dict[str, AnalysedText]) -> AnalysedQuery:
    """Return the terms and constraints of `query`; `known` has its analysed texts."""
    ignored = frozenset(text.lower() for text, analysed in known.items() if not analysed.lexemes)
    words = {text.lower(): row.hashes[0] for text, row in known.items() if len(row.hashes) == 1}
    terms, constraint = _terms(query.wanted, known), _constraint(query.filters, known)
    return AnalysedQuery(terms, constraint, ignored, words)


def _operands(clauses: Iterable[QueryClause]) -> Iterator[Operand]:
    return (operand for clause in clauses for operand in clause.operands)


def _terms(operands: Iterable[Operand], known: dict[str, AnalysedText]) -> list[Term]:
    """Return each lexeme once, in the order of the query."""
    terms: dict[tuple[str, bool], Term] = {}
    for operand in operands:
        for place, word in enumerate(operand.words, start=1):
            is_prefix = is_single_character_word(word) or (
                operand.prefix and place == len(operand.words)
            )
            for term in _terms_of(word, known, is_prefix):
                terms.setdefault((term.lexeme, is_prefix), term)
    return list(terms.values())[:MAX_TERMS]


def _terms_of(word: str, known: dict[str, AnalysedText], is_prefix: bool) -> list[Term]:
    if is_prefix:
        return [Term(f"{word}*", _stem(word, known), word.lower())]
    lexemes = zip(known[word].lexemes, known[word].hashes, strict=True)
    return [Term(word, lexeme, hash=hash_) for lexeme, hash_ in lexemes]


def _stem(word: str, known: dict[str, AnalysedText]) -> str:
    """Return the lexeme of a word, or the word itself if it is a stop word, because longer words begin with it."""
    lexemes = known[word].lexemes
    return lexemes[0] if len(lexemes) == 1 else word.lower()


def _constraint(clauses: Iterable[QueryClause], known: dict[str, AnalysedText]) -> str | None:
    """Return the conjunction of required and excluded operands; words that are not indexed are no constraint."""
    demands = []
    for clause in clauses:
        alternatives = [f"({query})" for o in clause.operands if (query := _query(o, known))]
        if alternatives:
            sign = "!" if clause.kind is ClauseKind.EXCLUDED else ""
            demands.append(f"{sign}({' | '.join(alternatives)})")
    return " & ".join(demands) or None


def _query(operand: Operand, known: dict[str, AnalysedText]) -> str:
    """Return the tsquery of an operand: all of its phrases must match."""
    queries = [known[text].phrase for text in _phrases(operand)]
    if operand.prefix:
        last = operand.words[-1]
        queries[-1] = prefix_query(last.lower(), _stem(last, known))
    return " & ".join(f"({query})" for query in queries if query)


def _phrases(operand: Operand) -> list[str]:
    """Return the texts to analyse for an operand: one phrase, or the words before a prefix and the prefix."""
    if not operand.prefix:
        return [" ".join(operand.words)]
    before = [" ".join(operand.words[:-1])] if len(operand.words) > 1 else []
    return [*before, operand.words[-1]]
