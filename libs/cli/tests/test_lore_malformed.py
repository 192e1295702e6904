"""An import of a lorebook skips a malformed entry, and names a field that it cannot use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everword.cli.lore.files import LoreFile, read_lore
from everword.cli.lore.import_book import read_file

PLAIN: dict[str, Any] = {"key": ["dragon"], "comment": "Smaug", "content": "Sleeps."}


def book(*entries: Any, **more: Any) -> LoreFile:
    return read_lore(json.dumps({"entries": list(entries), **more}))


def test_lore_import_uses_fallback_decorators_only_after_unsupported_ones() -> None:
    role, depth = "x: @@role has no counterpart", "x: @@depth has no counterpart"
    for content, disabled, constant, left_out in (
        ("@@activate\n@@@dont_activate\nX", False, True, []),
        ("@@role user\n@@@dont_activate\nX", True, False, [role]),
        ("@@role a\n@@@depth 1\n@@@activate\n@@@dont_activate\nX", False, True, [role, depth]),
        ("  @@depth 4\n\t@@activate\nX", False, True, [depth]),
        ("@@scan_depth abc\nX", False, False, ["x: @@scan_depth must be a number, not 'abc'"]),
    ):
        found = book({"keys": ["x"], "content": content})
        [entry] = found.entries
        assert (entry.content, entry.disabled, entry.constant) == ("X", disabled, constant), content
        assert found.left_out == left_out
    for content in ("@@activate\n  X", "  X"):
        assert book({"keys": ["x"], "content": content}).entries[0].content == "  X"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (5, "content must be text, not a number"),
        ({}, "content must be text, not an object"),
        (False, "content must be text, not true or false"),
        (None, "it has no content"),
    ],
)
def test_lore_import_skips_an_entry_with_content_that_is_not_text(
    content: Any, reason: str
) -> None:
    found = book({"key": ["a"], "content": content}, PLAIN)
    assert (found.skipped, found.left_out) == (1, [f"a: {reason}"])
    assert [each.title for each in found.entries] == ["Smaug"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"enabled": "false"}, "enabled must be true or false, not text"),
        ({"constant": "true"}, "constant must be true or false, not text"),
        ({"disable": 1}, "disable must be true or false, not a number"),
        ({"caseSensitive": "yes"}, "caseSensitive must be true or false, not text"),
        ({"sticky": "5"}, "sticky must be a number, not text"),
        ({"order": "12"}, "order must be a number, not text"),
        ({"scanDepth": True}, "scanDepth must be a number, not true or false"),
        ({"order": 1e300}, "order must be a number, not a number out of range"),
        ({"key": [7, "dragon"]}, "a key must be text, not a number"),
        ({"key": {"a": 1}}, "a key must be text, not an object"),
        ({"extensions": [1]}, "extensions must be an object, not a list"),
        ({"comment": 5, "name": "Smaug"}, "comment must be text, not a number"),
    ],
)
def test_lore_import_names_a_field_of_the_wrong_type(fields: dict[str, Any], named: str) -> None:
    found = book({**PLAIN, **fields})
    assert found.left_out == [f"Smaug: {named}"]
    assert len(found.entries) == 1


def test_lore_import_names_a_field_of_the_book_of_the_wrong_type() -> None:
    found = book(PLAIN, scan_depth="9", recursive_scanning="false")
    assert found.left_out == [
        "the book: recursive_scanning must be true or false, not text",
        "the book: scan_depth must be a number, not text",
    ]


def test_lore_import_reads_a_byte_order_mark_and_skips_an_entry_that_is_not_utf8(
    tmp_path: Path,
) -> None:
    entries = [PLAIN, {**PLAIN, "comment": "Caf@", "content": "Tea."}, {**PLAIN, "comment": "Inn"}]
    own = [{"title": each["comment"], "content": "c"} for each in entries]
    path = tmp_path / "book.json"
    for document in ({"entries": entries}, {"book": {"name": "b"}, "entries": own}):
        text = json.dumps(document).encode()
        path.write_bytes(b"\xef\xbb\xbf" + text)
        assert len(read_file(path).entries) == 3
        path.write_bytes(text.replace(b"@", b"\xe9"))
        found = read_file(path)
        assert [each.title for each in found.entries] == ["Smaug", "Inn"]
        assert (found.skipped, found.left_out) == (1, ["Caf\ufffd: it is not UTF-8"])


def test_lore_import_of_own_format_skips_malformed_entries() -> None:
    good = {"title": "Inn", "content": "Warm.", "triggers": [{"text": "inn"}]}
    entries: list[Any] = [
        good, {**good, "title": ""}, {**good, "title": "T", "triggers": [{"text": 5}]}, good, "odd",
        {**good, "title": "Depth", "scanDepth": 1000}, {**good, "title": "Odd", "colour": 1},
        {**good, "title": "Long", "triggers": [{"text": "x" * 300}, {"text": "y"}]},
    ]  # fmt: skip
    found = read_lore(json.dumps({"book": {"name": "b"}, "entries": entries}))
    assert [each.title for each in found.entries] == ["Inn", "Long"]
    assert [each.text for each in found.entries[1].triggers] == ["y"]
    assert found.skipped == 6
    places = [each.partition(": ")[0] for each in found.left_out]
    assert places == ["Entry 2", "T", "Inn", "Entry 5", "Depth", "Odd", "Long"]
    many = [{**good, "title": f"{n}"} for n in range(1001)]
    assert read_lore(json.dumps({"book": {"name": "b"}, "entries": many})).skipped == 1


def test_lore_import_of_novelai_names_prompt_settings_and_disables_categories() -> None:
    bias = [{"phrases": [], "bias": 0, "enabled": True}]
    config = {
        "prefix": "",
        "suffix": "\n",
        "tokenBudget": 1,
        "reservedTokens": 0,
        "insertionPosition": -1,
    }
    plain = {
        "text": "Sleeps.",
        "displayName": "Smaug",
        "keys": ["a"],
        "forceActivation": False,
        "category": "on",
        "loreBiasGroups": bias,
        "contextConfig": config,
    }
    changed = {"prefix": "<", "suffix": ">", "tokenBudget": 9, "insertionPosition": 2}
    other = {
        **plain,
        "displayName": "Inn",
        "keys": ["c&d"],
        "category": "off",
        "loreBiasGroups": [{"phrases": ["warm"]}],
        "contextConfig": changed,
    }
    categories = [
        {"id": "on", "enabled": True, "categoryBiasGroups": bias},
        {"id": "off", "enabled": False},
    ]
    found = book(plain, other, categories=categories, lorebookVersion=5)
    named = ("prefix", "suffix", "insertionPosition", "tokenBudget")
    assert [each.disabled for each in found.entries] == [False, True]
    assert found.left_out == [
        *(f"Inn: contextConfig.{name} has no counterpart" for name in named),
        "Inn: loreBiasGroups has no counterpart",
        "Inn: the key 'c&d': requires several words together, which is not supported",
    ]
