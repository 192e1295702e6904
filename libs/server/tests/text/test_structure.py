"""JSON, output of tools and runs of characters are shortened by their structure."""

from __future__ import annotations

import base64
import json
import random
import time

import pytest

from everword.text.structure import collapse_runs, has_json, shorten_structure


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 100, "xxxxxxxx… (100 characters)"),
        ("aaa " * 20 + "end", "aaa … (20 times) end"),
        ("-" * 100, "-" * 100),
        ("The tap drips. " * 20, "The tap drips. " * 20),
        ("d41d8cd98f00b204e9800998ecf8427e" * 4, "d41d8cd98f00b204e9800998ecf8427e" * 4),
    ],
)
def test_collapse_runs_shortens_only_meaningless_text(text: str, expected: str) -> None:
    assert collapse_runs(text) == expected


def test_collapse_runs_shortens_base64() -> None:
    encoded = base64.b64encode(random.Random(1).randbytes(3000)).decode()
    shown = collapse_runs(f"data:image/png;base64,{encoded} is the logo.")
    assert shown == f"data:image/png;base64,{encoded[:24]}… (4000 characters) is the logo."


def test_json_keeps_keys_numbers_and_text_around_it() -> None:
    value = {
        "total": 1.10,
        "items": [{"sku": f"sku-{n}", "price": "1.50"} for n in range(100)],
        "log": "Much was written here. " * 100,
        "ok": True,
        "next": None,
    }
    text = f"GET /orders\n{json.dumps(value)}\nDone in 3 s."
    shown = shorten_structure(text, 600)
    assert len(shown) <= 600
    assert shown.startswith("GET /orders\n{")
    assert shown.endswith("}\nDone in 3 s.")
    for part in (
        '"total": 1.1',
        '"sku": "sku-0"',
        "more]",
        "more characters",
        '"ok": true',
        '"next": null',
    ):
        assert part in shown
    assert shorten_structure(text, 100_000) == text


def test_random_json_is_never_longer_than_asked_or_cut_within_a_word() -> None:
    rng = random.Random(3)

    def value(depth: int) -> object:
        kind = rng.randrange(5 if depth else 2)
        if kind == 0:
            return " ".join(f"word{rng.randrange(99)}x" for _ in range(rng.randrange(60)))
        if kind == 1:
            return rng.random()
        if kind == 2:
            return [value(depth - 1) for _ in range(rng.randrange(50))]
        return {f"key{n}": value(depth - 1) for n in range(rng.randrange(30))}

    for _ in range(200):
        text = json.dumps([value(3), value(2)], indent=rng.choice((None, 2)))
        chars = rng.randrange(80, 3000)
        shown = shorten_structure(text, chars)
        assert len(shown) <= max(chars + 2, min(len(text), chars))
        words = (each.strip('",:[]{}…') for each in shown.split())
        assert all(each.endswith("x") for each in words if each.startswith("word"))


def test_prose_with_references_has_no_json() -> None:
    assert not has_json("As [1] and [2] show, {this} is no JSON.")
    assert has_json('{"a": [1, 2, 3], "b": "' + "c" * 60 + '"}')


def test_deep_and_broken_json_ends_in_time() -> None:
    for text in ("[" * 50_000, '{"a": ' * 20_000, "[1, " * 10_000, " { " * 10_000):
        assert len(shorten_structure(text, 500)) <= 503


@pytest.mark.parametrize("depth", [60, 450, 900])
def test_deeply_nested_json_is_shown_to_a_limited_depth(depth: int) -> None:
    leaf = f'"{"leaf " * 30}"'
    for nested in ("[" * depth + leaf + "]" * depth, '{"a": ' * depth + leaf + "}" * depth):
        shown = shorten_structure(f"Result: {nested}", 500, leaf)
        assert shown.startswith("Result: ")
        assert len(shown) <= 503


def test_megabyte_of_distinct_encoded_words_collapses_in_linear_time() -> None:
    words = [f"{n:06}" + "Zm9vYmFy" * 30 for n in range(4_000)]
    began = time.process_time()
    shown = collapse_runs(" ".join(words))
    assert time.process_time() - began < 0.5
    assert len(shown) < 4_000 * 60


def test_json_shows_the_key_and_the_element_that_weigh_most_with_longer_strings() -> None:
    rows = [{"id": n, "place": f"shelf {n}", "note": f"found {n} by " * 9} for n in range(40)]
    value = {**{f"key-{n}": "nothing" for n in range(40)}, "status": "open", "rows": rows}

    def weight(text: str) -> float:
        return sum(text.count(word) for word in ("status", "shelf 27"))

    shown = shorten_structure(json.dumps(value), 450, weight=weight)
    assert len(shown) <= 450
    for part in ('"status": "open"', '"place": "shelf 27"', rows[27]["note"], "… 27 more"):
        assert str(part) in shown
