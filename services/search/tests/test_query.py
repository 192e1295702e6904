"""The query parser: questions as people type them, operators, and no errors for any input."""

from __future__ import annotations

import random

import pytest

from everword_search.retrieval.query.query import (
    MAX_FILTER_CLAUSES,
    ClauseKind,
    Operand,
    QueryClause,
    parse_operands,
    parse_words,
)


def shape(text: str) -> list[tuple[str, list[str]]]:
    """Return the clauses of a query in a short form: kind and operands, with words joined by a space."""
    return [_shape(clause) for clause in parse_operands(text).clauses]


def _shape(clause: QueryClause) -> tuple[str, list[str]]:
    operands = [" ".join(o.words) + ("*" if o.prefix else "") for o in clause.operands]
    return clause.kind.name.lower(), operands


def test_plain_words_are_optional_operands() -> None:
    assert shape("How do we handle auth?") == [
        ("optional", ["How"]),
        ("optional", ["do"]),
        ("optional", ["we"]),
        ("optional", ["handle"]),
        ("optional", ["auth"]),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("auth.rs", ["auth rs"]),
        ("10.0.0.1", ["10 0 0 1"]),
        ("it's", ["it's"]),
        ("C++", ["C++"]),
        ('"unbalanced', ["unbalanced"]),
        ("foo & bar | !baz", ["foo", "bar", "baz"]),
        ("(grouped) <tags>", ["grouped", "tags"]),
        ("--verbose", ["verbose"]),
        ("well-known e-mail", ["well known", "e mail"]),
        ("🎉", ["u1f389"]),
        ("数据库", ["数据 据库"]),
        ("either or and not", ["either", "or", "and", "not"]),
        ("𝕱𝖆𝖓𝖈𝖞", ["Fancy"]),
    ],
)
def test_everyday_text_is_parsed_without_operators(text: str, words: list[str]) -> None:
    assert shape(text) == [("optional", [word]) for word in words]


@pytest.mark.parametrize(
    "text", ["", " ", "-", "*", "OR", "NOT", "AND OR NOT", "()", '"', '""', "- -"]
)
def test_query_without_words_has_no_clauses(text: str) -> None:
    assert shape(text) == []


@pytest.mark.parametrize("text", ["&|!:<>\\'", "???", "—", "+-+-", "****", "\u200b"])
def test_query_of_symbols_has_no_clauses(text: str) -> None:
    assert shape(text) == []


def test_quoted_phrase_is_required() -> None:
    assert shape('the "exact phrase" here') == [
        ("optional", ["the"]),
        ("required", ["exact phrase"]),
        ("optional", ["here"]),
    ]


def test_typographic_quotes_delimit_a_phrase() -> None:
    assert shape("“exact phrase”") == [("required", ["exact phrase"])]


def test_or_joins_a_phrase_with_a_word() -> None:
    assert shape('"blue green" OR canary') == [("required", ["blue green", "canary"])]


def test_or_joins_only_adjacent_operands() -> None:
    assert shape("a OR b OR c d") == [("required", ["a", "b", "c"]), ("optional", ["d"])]


def test_and_requires_both_sides() -> None:
    assert shape("a AND b c") == [
        ("required", ["a"]),
        ("required", ["b"]),
        ("optional", ["c"]),
    ]


def test_or_binds_tighter_than_and() -> None:
    assert shape("a OR b AND c") == [("required", ["a", "b"]), ("required", ["c"])]


def test_plus_sign_requires_an_operand() -> None:
    assert shape("+a b") == [("required", ["a"]), ("optional", ["b"])]


@pytest.mark.parametrize(
    "text", ["a -b", "a NOT b", "a AND NOT b", 'a -"b"', "a NOT -b", "a OR -b"]
)
def test_minus_and_not_exclude(text: str) -> None:
    assert shape(text)[-1] == ("excluded", ["b"])
    assert shape(text)[0][1] == ["a"]


def test_minus_sign_excludes_a_phrase_as_a_whole() -> None:
    assert shape('-"bad phrase" ok') == [("excluded", ["bad phrase"]), ("optional", ["ok"])]


def test_sign_within_a_word_is_not_an_operator() -> None:
    assert shape("roll-back 1+1") == [("optional", ["roll back"]), ("optional", ["1 1"])]


@pytest.mark.parametrize("text", ["OR a", "a OR", "AND a", "a AND", "a NOT", "OR OR a", "a OR ()"])
def test_operator_without_operand_is_ignored(text: str) -> None:
    assert shape(text) == [("optional", ["a"])]


def test_operator_skips_symbols_without_words() -> None:
    assert shape("a OR () b") == [("required", ["a", "b"])]


@pytest.mark.parametrize("text", ["auto*", "auto*?", "(auto*)"])
def test_star_at_the_end_of_a_word_is_a_prefix_query(text: str) -> None:
    assert shape(text) == [("optional", ["auto*"])]


def test_star_applies_to_the_last_word_of_an_operand() -> None:
    assert shape("auth.r*") == [("optional", ["auth r*"])]


@pytest.mark.parametrize(
    "text", ["*emphasis*", "**emphasis**", "***emphasis", '"emphasis*"', "emphasis**"]
)
def test_other_stars_are_ignored(text: str) -> None:
    assert [operands for _, operands in shape(text)] == [["emphasis"]]


def test_single_ideograph_becomes_a_prefix_query() -> None:
    assert shape("猫") == [("optional", ["猫*"])]


def test_inch_marks_are_parsed_as_one_phrase() -> None:
    assert [kind for kind, _ in shape('a 5" disk and a 3" disk')].count("required") == 1


def test_parse_words_ignores_operators() -> None:
    query = parse_words('say "hello world" -v NOT OR auto*')
    assert not query.filters
    words = [operand.words for operand in query.wanted]
    assert words == [("say",), ("hello",), ("world",), ("v",), ("NOT",), ("OR",), ("auto",)]
    assert not any(operand.prefix for operand in query.wanted)


@pytest.mark.parametrize(
    "mark",
    [
        "?",
        "？",
        "؟",
        " ? ",
        "??",
        "!?",
        "?)",
        "? Name one of them.",
        "？谢谢",
        "吗?谢谢",
    ],
)
def test_question_mark_disables_operators(mark: str) -> None:
    text = f'Did "The Alchemist" OR "Dune" say rm -rf AND more{mark}'
    assert not parse_operands(text).filters
    asked, plain = (
        [o.words for o in parse(text).wanted] for parse in (parse_operands, parse_words)
    )
    assert sum(asked, ()) == sum(plain, ())


def test_operators_after_a_question_apply() -> None:
    text = 'What "did" we eat -ever? AND fish -cat "at noon" auto*'
    assert shape(text) == [
        *(("optional", [word]) for word in ("What", "did", "we", "eat", "ever")),
        ("optional", ["fish"]),
        ("excluded", ["cat"]),
        ("required", ["at noon"]),
        ("optional", ["auto*"]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '"what now?"',
        '"what now? nothing" ferry',
        # If `?` ended a question, `-draft` would be a part of it and no operator.
        "-draft https://example.org/?page=2",
        "-draft a?b",
        "-draft https://example.org/?",
        "-draft „Was nun?“",
        '-draft "all?"',
    ],
)
def test_question_mark_within_quotes_or_words_keeps_operators(text: str) -> None:
    assert parse_operands(text).filters


def test_wanted_operands_omit_excluded_ones() -> None:
    assert parse_operands("keep -drop").wanted == [Operand("keep", ("keep",))]


def test_filter_clauses_are_limited_without_losing_words() -> None:
    query = parse_operands(" ".join(f"-x{i}" for i in range(500)) + " word")
    assert len(query.filters) == MAX_FILTER_CLAUSES
    assert [operand.text for operand in query.wanted] == ["word"]


_PIECES = [
    '"',
    "“",
    "-",
    "+",
    "*",
    "OR",
    "AND",
    "NOT",
    " ",
    "(",
    ")",
    "\\",
    "'",
    ":",
    "&",
    "|",
    "!",
    "<->",
]
_WORDS = [
    "auth",
    "it's",
    "数据",
    "🎉",
    "é",
    "\u0301",
    "\u200d",
    "10.0.0.1",
    "ﬁ",
    "ß",
    "İ",
    "\U0001f3f4",
]


@pytest.mark.parametrize("seed", range(40))
def test_random_queries_parse_without_empty_operands(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(_PIECES + _WORDS) for _ in range(400))
    for clause in parse_operands(text).clauses:
        assert clause.operands
        assert all(operand.words and all(operand.words) for operand in clause.operands)
        assert isinstance(clause.kind, ClauseKind)


@pytest.mark.parametrize(
    "piece", ['"', "a OR ", "-x ", '"a b" ', "(", "*", "a.b", "数", "🎉", "'", "?", "?a"]
)
def test_eight_kibibyte_queries_parse_quickly(piece: str) -> None:
    text = piece * (8192 // len(piece.encode()))
    parse_operands(text)
    parse_words(text)
