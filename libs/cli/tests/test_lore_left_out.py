"""Imports of lorebooks list left-out settings, and keep the rest of the entry."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import grpc
import pytest

from everword.cli.lore.files import LoreFile, NoLorebook, read_lore
from everword.cli.lore.import_book import import_book
from everword.client import CallError, Client
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb

REGEX = lore_pb2.LORE_TRIGGER_MODE_REGEX
#: An entry of SillyTavern with neutral values in all fields.
PLAIN: dict[str, Any] = {
    "uid": 0, "key": ["dragon"], "keysecondary": [], "comment": "Smaug", "content": "Sleeps.", "constant": False,
    "vectorized": False, "selective": True, "selectiveLogic": 0, "addMemo": True, "order": 100, "position": 0,
    "disable": False, "ignoreBudget": False, "excludeRecursion": False, "preventRecursion": False,
    "matchPersonaDescription": False, "matchCharacterDescription": False, "matchCharacterPersonality": False,
    "matchCharacterDepthPrompt": False, "matchScenario": False, "matchCreatorNotes": False,
    "delayUntilRecursion": False, "probability": 100, "useProbability": True, "depth": 4, "outletName": "",
    "group": "", "groupOverride": False, "groupWeight": 100, "scanDepth": None, "caseSensitive": None,
    "matchWholeWords": None, "useGroupScoring": None, "automationId": "", "role": 0, "sticky": 0, "cooldown": 0,
    "delay": 0, "triggers": [], "displayIndex": 0,
    "characterFilter": {"isExclude": False, "names": [], "tags": []},
}  # fmt: skip
CHANGED: dict[str, Any] = {
    "vectorized": True, "selectiveLogic": 3, "ignoreBudget": True, "matchPersonaDescription": True,
    "matchScenario": True, "delayUntilRecursion": True, "probability": 0, "outletName": "o", "group": "weather",
    "groupOverride": True, "useGroupScoring": True, "automationId": "a", "cooldown": 1, "delay": 2,
    "triggers": ["continue"], "characterFilter": {"isExclude": True, "names": ["Mira"], "tags": []}, "position": 4,
}  # fmt: skip


def world(*entries: Any, **book: Any) -> LoreFile:
    return read_lore(
        json.dumps({"entries": {str(n): each for n, each in enumerate(entries)}, **book})
    )


def card(*entries: Any, **book: Any) -> LoreFile:
    book = {"entries": list(entries), **book}
    return read_lore(
        json.dumps({"spec": "chara_card_v3", "data": {"name": "Mira", "character_book": book}})
    )


def snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


def test_lore_import_of_a_plain_entry_leaves_nothing_out() -> None:
    assert world(PLAIN).left_out == []
    extensions = {
        snake(name): value for name, value in PLAIN.items() if name not in ("key", "content")
    }
    plain = {"keys": ["dragon"], "content": "Sleeps.", "enabled": True, "position": "before_char"}
    assert card({**plain, "extensions": extensions}).left_out == []


@pytest.mark.parametrize("name", CHANGED)
def test_lore_import_names_unsupported_activation_fields(name: str) -> None:
    found = world({**PLAIN, name: CHANGED[name]})
    assert found.left_out == [f"Smaug: {name} has no counterpart"]
    assert [each.text for each in found.entries[0].triggers] == ["dragon"]
    in_card = {
        "keys": ["dragon"],
        "content": "Sleeps.",
        "name": "Smaug",
        "extensions": {snake(name): CHANGED[name]},
    }
    assert card(in_card).left_out == found.left_out


def test_lore_import_strips_decorators_and_names_unsupported_ones() -> None:
    content = "@@depth 4\n@@activate_only_after 3\n@@@role user\n@@scan_depth 9\n@@activate\n\nHARBOUR\n@@depth 1"
    found = card(
        {"keys": ["harbour"], "content": content, "secondary_keys": None, "case_sensitive": None}
    )
    [entry] = found.entries
    assert entry.content == "HARBOUR\n@@depth 1"
    assert (entry.scan_depth, entry.constant) == (9, True)
    assert found.left_out == [
        f"harbour: @@{name} has no counterpart" for name in ("depth", "activate_only_after", "role")
    ]
    assert card({"keys": ["x"], "content": "@@dont_activate\nX"}).entries[0].disabled


@pytest.mark.parametrize(
    "pattern",
    [r"/dragon(?=s)/", r"/(?<!old )dragon/", r"/(a)\1/", r"/dragon/y", r"/\p{L/", r"/a{2000}/",
     r"/\uD83D/", r"/[\uD83C-\uD83E]/", "/" + "x" * 300 + "/"],
)  # fmt: skip
def test_lore_import_skips_a_bad_pattern_but_keeps_other_keys_and_entries(pattern: str) -> None:
    found = world(
        {**PLAIN, "key": ["dragon", pattern, "/wy[rv]m/i"]}, {**PLAIN, "comment": "Other"}
    )
    first, other = found.entries
    assert [(each.text, each.mode == REGEX) for each in first.triggers] == [
        ("dragon", False),
        ("wy[rv]m", True),
    ]
    assert other.title == "Other"
    [named] = found.left_out
    assert named.startswith("Smaug: the key '/")


def test_lore_import_converts_javascript_patterns() -> None:
    keys = [
        r"/h[ae]ven\//u",
        r"/[\u4e00-\u9fff]{2}/gi",
        r"/\u{1F409}/u",
        r"/\uD83D\ude00/",
        "h[ae]ven",
    ]
    [entry] = card({"keys": keys, "content": "c", "use_regex": True}).entries
    assert [(each.text, each.case_sensitive) for each in entry.triggers] == [
        ("h[ae]ven/", True),
        (r"[\x{4e00}-\x{9fff}]{2}", False),
        (r"\x{1F409}", True),
        (r"\x{1F600}", True),
        ("h[ae]ven", False),
    ]
    assert {each.mode for each in entry.triggers} == {REGEX}
    [literal] = card({"keys": ["/a/"], "content": "c", "use_regex": False}).entries
    assert literal.triggers[0].mode != REGEX


def test_lore_import_names_keys_and_entries_that_are_too_many_or_too_long() -> None:
    found = world(
        {**PLAIN, "key": [f"key {n}" for n in range(40)]},
        {**PLAIN, "comment": "Long", "content": "x" * 40_000},
        {**PLAIN, "comment": "Key", "key": ["y" * 300, "short"]},
        "no entry",
        {**PLAIN, "comment": "Empty", "content": ""},
    )
    assert [len(each.triggers) for each in found.entries] == [32, 1]
    assert found.left_out == [
        "Smaug: 8 keys: an entry has at most 32",
        "Long: its content has more than 32 KiB",
        f"Key: the key {'y' * 80!r}"[:-1] + "…': has more than 256 characters",
        "Entry 4: it is not a JSON object",
        "Empty: says nothing",
    ]
    assert found.skipped == 2
    many = world(*({**PLAIN, "comment": f"{n}", "key": ["/a+/"]} for n in range(1001)))
    assert len(many.entries) == 1000
    assert sum(len(each.triggers) for each in many.entries) == 200
    assert len(many.left_out) == 801


def test_lore_import_reads_books_of_other_programs() -> None:
    risu = {"type": "risu", "ver": 1, "data": [
        {"key": "dragon, wyrm", "secondkey": "gold", "insertorder": 7, "comment": "Smaug", "content": "Sleeps.",
         "mode": "normal", "alwaysActive": True, "selective": True, "activationPercent": 40},
        {"key": "", "comment": "Folder", "content": "", "mode": "folder"},
    ]}  # fmt: skip
    read = read_lore(json.dumps(risu))
    [entry] = read.entries
    assert ([each.text for each in entry.triggers], entry.priority, entry.constant) == (
        ["dragon", "wyrm"],
        7,
        True,
    )
    assert read.left_out == [
        "Smaug: secondary keys has no counterpart",
        "Smaug: activationPercent has no counterpart",
        "Folder: is a folder",
    ]
    novel = {"lorebookVersion": 5, "entries": [
        {"text": "Sleeps.", "displayName": "Smaug", "keys": ["dragon", "gold & hoard"], "searchRange": 200,
         "enabled": True, "forceActivation": False, "keyRelative": False, "nonStoryActivatable": False,
         "contextConfig": {"budgetPriority": 400}},
    ]}  # fmt: skip
    read = read_lore(json.dumps(novel))
    [entry] = read.entries
    assert (entry.title, entry.content, entry.priority) == ("Smaug", "Sleeps.", 400)
    assert [each.text for each in entry.triggers] == ["dragon"]
    assert len(read.left_out) == 2
    cased = card({"keys": ["Hill"], "content": "c", "extentions": {"risu_case_sensitive": True}})
    assert cased.entries[0].triggers[0].case_sensitive
    agnai = {"kind": "memory", "name": "Hill", "entries": [
        {"name": "Smaug", "entry": "Sleeps.", "keywords": ["dragon"], "priority": 3, "weight": 0, "enabled": True},
    ]}  # fmt: skip
    read = read_lore(json.dumps(agnai))
    assert (read.name, read.entries[0].title, read.left_out) == ("Hill", "Smaug", [])
    dungeon = [{"keys": "dragon,wyrm", "entry": "Sleeps."}]
    assert len(read_lore(json.dumps(dungeon)).entries[0].triggers) == 2
    assert card(PLAIN, recursive_scanning=False, token_budget=500).left_out == [
        "the book: token_budget has no counterpart"
    ]
    assert card(PLAIN, recursive_scanning=False).entries[0].exclude_recursion
    with pytest.raises(NoLorebook):
        read_lore(json.dumps({"spec": "chara_card_v3", "data": {"name": "Mira"}}))


async def test_lore_import_skips_patterns_that_the_server_refuses() -> None:
    requests = list[pb.ImportLoreBookRequest]()

    class Service:
        """Refuses triggers one by one, like a server with stricter limits."""

        async def ImportLoreBook(
            self, request: pb.ImportLoreBookRequest
        ) -> pb.ImportLoreBookResponse:
            sent = pb.ImportLoreBookRequest()
            sent.CopyFrom(request)
            requests.append(sent)
            for place, entry in enumerate(request.entries):
                for number, trigger in enumerate(entry.triggers):
                    if trigger.mode == REGEX:
                        rule = (f"entries[{place}].triggers[{number}].text", "is too costly")
                        raise CallError(grpc.StatusCode.INVALID_ARGUMENT, "", violations=(rule,))
            return pb.ImportLoreBookResponse(written=len(request.entries))

    client = cast(Client, SimpleNamespace(lore_service=Service()))
    read = world({**PLAIN, "key": ["/a+/", "dragon", "/b+/"]}, {**PLAIN, "comment": "Other"})
    left_out = list[str]()
    request = pb.ImportLoreBookRequest(entries=read.entries)
    assert (await import_book(client, request, left_out)).written == 2
    assert left_out == ["Smaug: the key 'a+': is too costly", "Smaug: the key 'b+': is too costly"]
    assert [each.text for each in requests[-1].entries[0].triggers] == ["dragon"]


async def test_lore_import_skips_an_entry_that_the_server_refuses() -> None:
    class Service:
        async def ImportLoreBook(
            self, request: pb.ImportLoreBookRequest
        ) -> pb.ImportLoreBookResponse:
            rules = [
                (f"entries[{place}].title", "is bad")
                for place, entry in enumerate(request.entries)
                if entry.title == "Bad"
            ]
            if rules:
                rules.append(("entries[0].triggers[0].text", "is bad"))
                raise CallError(grpc.StatusCode.INVALID_ARGUMENT, "", violations=tuple(rules))
            return pb.ImportLoreBookResponse(written=len(request.entries))

    client = cast(Client, SimpleNamespace(lore_service=Service()))
    bad = {**PLAIN, "comment": "Bad"}
    for entries in ([bad, PLAIN], [PLAIN, bad]):
        left_out = list[str]()
        request = pb.ImportLoreBookRequest(entries=world(*entries).entries)
        assert (await import_book(client, request, left_out)).written == 1
        assert "Bad: is bad" in left_out
        assert [each.title for each in request.entries] == ["Smaug"]


async def test_lore_import_fails_if_the_server_refuses_the_book_itself() -> None:
    class Service:
        async def ImportLoreBook(
            self, request: pb.ImportLoreBookRequest
        ) -> pb.ImportLoreBookResponse:
            rules = (("entries[0].triggers[0].text", "is bad"), ("book.name", "is bad"))
            raise CallError(grpc.StatusCode.INVALID_ARGUMENT, "", violations=rules)

    client = cast(Client, SimpleNamespace(lore_service=Service()))
    with pytest.raises(CallError):
        await import_book(client, pb.ImportLoreBookRequest(), [])
