"""The query parser: what people type, what operators mean, and that nothing is an error."""

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
    """Return the clauses of a query in a form that reads well: kind and operands, words joined by a space."""
    return [_shape(clause) for clause in parse_operands(text).clauses]


def _shape(clause: QueryClause) -> tuple[str, list[str]]:
    operands = [" ".join(o.words) + ("*" if o.prefix else "") for o in clause.operands]
    return clause.kind.name.lower(), operands


def test_a_question_is_words_of_which_each_one_may_match() -> None:
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
        ("C++", ["C"]),
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
def test_everyday_text_has_no_operators(text: str, words: list[str]) -> None:
    assert shape(text) == [("optional", [word]) for word in words]


@pytest.mark.parametrize(
    "text", ["", " ", "-", "*", "OR", "NOT", "AND OR NOT", "()", '"', '""', "- -"]
)
def test_what_holds_no_word_asks_for_nothing(text: str) -> None:
    assert shape(text) == []


@pytest.mark.parametrize("text", ["&|!:<>\\'", "???", "—", "+-+-", "****", "\u200b"])
def test_symbols_alone_ask_for_nothing(text: str) -> None:
    assert shape(text) == []


def test_a_phrase_is_required() -> None:
    assert shape('the "exact phrase" here') == [
        ("optional", ["the"]),
        ("required", ["exact phrase"]),
        ("optional", ["here"]),
    ]


def test_typographic_quotes_are_quotes() -> None:
    assert shape("“exact phrase”") == [("required", ["exact phrase"])]


def test_a_phrase_joined_by_or_is_one_of_several() -> None:
    assert shape('"blue green" OR canary') == [("required", ["blue green", "canary"])]


def test_or_joins_as_many_as_there_are_and_no_more() -> None:
    assert shape("a OR b OR c d") == [("required", ["a", "b", "c"]), ("optional", ["d"])]


def test_and_requires_both_sides() -> None:
    assert shape("a AND b c") == [
        ("required", ["a"]),
        ("required", ["b"]),
        ("optional", ["c"]),
    ]


def test_or_binds_tighter_than_and() -> None:
    assert shape("a OR b AND c") == [("required", ["a", "b"]), ("required", ["c"])]


def test_plus_requires() -> None:
    assert shape("+a b") == [("required", ["a"]), ("optional", ["b"])]


@pytest.mark.parametrize(
    "text", ["a -b", "a NOT b", "a AND NOT b", 'a -"b"', "a NOT -b", "a OR -b"]
)
def test_minus_and_not_exclude(text: str) -> None:
    assert shape(text)[-1] == ("excluded", ["b"])
    assert shape(text)[0][1] == ["a"]


def test_an_exclusion_keeps_the_words_of_a_phrase_together() -> None:
    assert shape('-"bad phrase" ok') == [("excluded", ["bad phrase"]), ("optional", ["ok"])]


def test_a_sign_within_a_word_is_none() -> None:
    assert shape("roll-back 1+1") == [("optional", ["roll back"]), ("optional", ["1 1"])]


@pytest.mark.parametrize("text", ["OR a", "a OR", "AND a", "a AND", "a NOT", "OR OR a", "a OR ()"])
def test_an_operator_without_its_operand_is_passed_over(text: str) -> None:
    assert shape(text) == [("optional", ["a"])]


def test_an_operator_reaches_over_what_holds_no_word() -> None:
    assert shape("a OR () b") == [("required", ["a", "b"])]


@pytest.mark.parametrize("text", ["auto*", "auto*?", "(auto*)"])
def test_a_star_at_the_end_asks_for_the_beginning_of_a_word(text: str) -> None:
    assert shape(text) == [("optional", ["auto*"])]


def test_of_several_words_the_last_one_is_the_beginning() -> None:
    assert shape("auth.r*") == [("optional", ["auth r*"])]


@pytest.mark.parametrize(
    "text", ["*emphasis*", "**emphasis**", "***emphasis", '"emphasis*"', "emphasis**"]
)
def test_other_stars_are_typography(text: str) -> None:
    assert [operands for _, operands in shape(text)] == [["emphasis"]]


def test_a_lone_ideograph_is_the_beginning_of_a_pair() -> None:
    assert shape("猫") == [("optional", ["猫*"])]


def test_inches_are_no_error() -> None:
    assert [kind for kind, _ in shape('a 5" disk and a 3" disk')].count("required") == 1


def test_words_alone_know_no_operators() -> None:
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
def test_a_question_has_no_operators(mark: str) -> None:
    text = f'Did "The Alchemist" OR "Dune" say rm -rf AND more{mark}'
    assert not parse_operands(text).filters
    asked, plain = (
        [o.words for o in parse(text).wanted] for parse in (parse_operands, parse_words)
    )
    assert sum(asked, ()) == sum(plain, ())


def test_operators_behind_a_question_hold() -> None:
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
        # Behind a question they would hold, too.
        "-draft https://example.org/?page=2",
        "-draft a?b",
        "-draft https://example.org/?",
        "-draft „Was nun?“",
        '-draft "all?"',
    ],
)
def test_a_mark_within_quotes_or_words_makes_no_question(text: str) -> None:
    assert parse_operands(text).filters


def test_excluded_operands_are_not_what_a_passage_is_found_by() -> None:
    assert parse_operands("keep -drop").wanted == [Operand("keep", ("keep",))]


def test_filter_clauses_are_bounded_and_words_are_not_lost() -> None:
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
def test_no_mixture_is_an_error_and_no_operand_is_empty(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(_PIECES + _WORDS) for _ in range(400))
    for clause in parse_operands(text).clauses:
        assert clause.operands
        assert all(operand.words and all(operand.words) for operand in clause.operands)
        assert isinstance(clause.kind, ClauseKind)


@pytest.mark.parametrize(
    "piece", ['"', "a OR ", "-x ", '"a b" ', "(", "*", "a.b", "数", "🎉", "'", "?", "?a"]
)
def test_eight_kibibytes_of_anything_parse_quickly(piece: str) -> None:
    text = piece * (8192 // len(piece.encode()))
    parse_operands(text)
    parse_words(text)
