"""Which triggers a text holds, in any script, and at what cost."""

from __future__ import annotations

import random
import time
import unicodedata
from uuid import UUID

import pytest

from everword.domain.errors import InvalidArgument
from everword.lore.compiled_book import CompiledBooks, compile_book
from everword.lore.evaluation import Evaluation
from everword.lore.literals import Literals
from everword.lore.match_texts import match_texts
from everword.lore.matcher import Matcher
from everword.lore.model import EntryId, Rule, Trigger, TriggerMode
from everword.lore.patterns import BadPattern, check_triggers, compile_pattern

BOOK = UUID(int=9)
SUBSTRING, WORD, EXACT, REGEX = TriggerMode


def hits_of(matcher: Matcher, text: str) -> dict[EntryId, int]:
    """Return the entries that a text triggers."""
    [[hits]] = match_texts([text], [matcher], Evaluation()).hits
    return hits


def matches(trigger: Trigger, text: str) -> bool:
    found = Rule(EntryId(UUID(int=1)), BOOK, "entry", [trigger])
    return bool(hits_of(Matcher([found]), text))


def rules(triggers: list[Trigger]) -> list[Rule]:
    """Return an entry for each trigger."""
    return [
        Rule(EntryId(UUID(int=number)), BOOK, str(number), [trigger])
        for number, trigger in enumerate(triggers)
    ]


@pytest.mark.parametrize(
    ("key", "mode", "yes", "no"),
    [
        ("king", SUBSTRING, ["the KINGDOM", "king", "viking"], ["queen", "k ing"]),
        (
            "king",
            WORD,
            ["the king's men", "King!", "(king)", "old king"],
            ["kingdom", "viking_", ""],
        ),
        ("old mill", WORD, ["the Old\n  Mill burned", "old mill"], ["old mills", "cold mill"]),
        ("@bob", WORD, ["ask @bob now", "x@bob"], ["@bobby"]),
        ("!!", WORD, ["hey!!"], ["hey!"]),
        ("yes", EXACT, ["yes", " YES\n"], ["yes please", "yesyes"]),
        (r"\bdragons?\b", REGEX, ["a Dragon here", "DRAGONS"], ["dragonfly"]),
        (r"^stop$", REGEX, ["Stop"], ["do stop"]),
        ("straße", SUBSTRING, ["in der STRASSE", "Straße"], ["strase"]),
        ("ÉLAN", WORD, ["an élan", "e\u0301lan vital"], ["elan", "élanvital"]),
        ("ｄｒａｇｏｎ", SUBSTRING, ["dragon", "DRAGON"], ["dragoon"]),
        ("竜", SUBSTRING, ["赤い竜が来た"], ["赤い龍"]),
        ("हिन्दी", WORD, ["वह हिन्दी बोलता है"], ["हिन्दीभाषी"]),
        ("ΟΔΟΣ", WORD, ["στην οδος μας"], ["οδοσήμανση"]),
        ("🐉", SUBSTRING, ["a 🐉 flies"], ["a 🐲 flies"]),
    ],
)
def test_trigger_matches_according_to_its_mode(
    key: str, mode: TriggerMode, yes: list[str], no: list[str]
) -> None:
    for text in yes:
        assert matches(Trigger(key, mode), text), text
    for text in no:
        assert not matches(Trigger(key, mode), text), text


def test_case_sensitive_trigger_matches_exact_case_only() -> None:
    for mode, key in ((SUBSTRING, "Rose"), (WORD, "Rose"), (EXACT, "Rose"), (REGEX, "^Rose$")):
        assert matches(Trigger(key, mode, case_sensitive=True), "Rose")
        assert not matches(Trigger(key, mode, case_sensitive=True), "rose")


def test_matcher_reports_the_first_matching_trigger_of_an_entry() -> None:
    triggers = [Trigger("castle"), Trigger("gate", WORD), Trigger("g.te", REGEX)]
    matcher = Matcher([Rule(EntryId(UUID(int=1)), BOOK, "e", triggers)])
    [hit] = hits_of(matcher, "The gate.").items()
    assert hit == (EntryId(UUID(int=1)), 1)


def test_literals_finds_all_keys_also_overlapping_ones() -> None:
    chance = random.Random(5)
    for _ in range(300):
        keys = {
            "".join(chance.choices("ab", k=chance.randint(1, 6)))
            for _ in range(chance.randint(1, 20))
        }
        text = "".join(chance.choices("abc", k=chance.randint(0, 40)))
        found = list(Literals(keys).find(text))
        assert sorted(found) == sorted(key for key in keys if key in text)


def test_invalid_trigger_is_refused_with_its_entry_and_place() -> None:
    for text, said in (
        ("abc[a-", "missing ]: [a-, at character 4"),
        ("(dragon", "missing )"),
        (r"x(?=y)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        (r"(?:\pL{1000}){1000}", ""),
    ):
        with pytest.raises(BadPattern, match=r"\w") as raised:
            compile_pattern(text, case_sensitive=False)
        assert said in str(raised.value)
    triggers = [Trigger("ok"), Trigger("(", REGEX), Trigger(" \u3000"), Trigger("\0")]
    with pytest.raises(InvalidArgument) as refused:
        check_triggers(triggers, "entry", "The Westmark")
    fields = [field for field, _ in refused.value.violations]
    assert fields == [f"entry.triggers[{place}].text" for place in (1, 2, 3)]
    assert "The Westmark" in refused.value.violations[0][1]


def _alphabet() -> str:
    return "abAB \n.*+?()[]{}|\\^$-:=!<>PpNd0129,_é\u0301ß竜🐉\u200d\u0130\ufb01\u0338\u3000\0'\"/%"


def _texts(chance: random.Random, longest: int) -> str:
    return "".join(chance.choices(_alphabet(), k=chance.randint(1, longest)))


def _fuzz(rounds: int) -> int:
    """Compile and match what chance makes; return how many patterns were accepted."""
    chance = random.Random(41)
    accepted = 0
    for _ in range(rounds):
        triggers = list[Trigger]()
        for mode in TriggerMode:
            trigger = Trigger(_texts(chance, 24), mode, chance.random() < 0.5)
            try:
                check_triggers([trigger], "entry", "fuzzed")
            except InvalidArgument:
                continue
            triggers.append(trigger)
        accepted += sum(trigger.mode is REGEX for trigger in triggers)
        matcher = Matcher(rules(triggers))
        for text in (_texts(chance, 60), "".join(trigger.text for trigger in triggers)):
            hits = hits_of(matcher, text)
            for number, trigger in enumerate(triggers):
                if trigger.mode is SUBSTRING and trigger.case_sensitive and "\0" not in text:
                    plain = unicodedata.normalize("NFC", text)
                    key = unicodedata.normalize("NFC", trigger.text)
                    if key in plain and key == key.strip():
                        assert EntryId(UUID(int=number)) in hits, (trigger, text)
    return accepted


def test_fuzzed_patterns_keys_and_texts_neither_crash_nor_hang() -> None:
    assert _fuzz(600) > 30


@pytest.mark.long
def test_ten_thousand_fuzzed_patterns_and_texts_neither_crash_nor_hang() -> None:
    assert _fuzz(10_000) > 500


def test_matcher_takes_linear_time_for_hostile_keys() -> None:
    nested = [Trigger("a" * length, mode) for length in range(1, 200) for mode in (SUBSTRING, WORD)]
    slow = [
        Trigger(text, REGEX) for text in ("(a*)*b", "(a|a)*$", "(a?){50}a{50}", "(.*)(.*)(.*)x")
    ]
    matcher = Matcher(rules([*nested, *slow]))
    began = time.process_time()
    hits = hits_of(matcher, "a" * 32_768)
    assert len(hits) >= 199
    assert time.process_time() - began < 2


def test_a_thousand_entries_are_matched_in_milliseconds() -> None:
    """In practice under 2 ms: the limit is for a machine that does much else."""
    chance = random.Random(1)
    words = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(4, 10)))
        for _ in range(5000)
    ]
    modes = [SUBSTRING, SUBSTRING, WORD]
    book = compile_book(
        1, rules([Trigger(chance.choice(words), chance.choice(modes)) for _ in range(3000)])
    )
    texts = [" ".join(chance.choices(words, k=280))[:2048] for _ in range(5)]
    best = 1.0
    for _ in range(5):
        began = time.perf_counter()
        found = [hits_of(book.matcher, text) for text in texts]
        best = min(best, time.perf_counter() - began)
    assert all(len(hits) > 50 for hits in found)
    assert best < 0.03


def test_compiled_books_keep_a_book_until_its_version_changes() -> None:
    retained, book = CompiledBooks(), compile_book(3, rules([Trigger("a")]))
    retained.put(BOOK, book)
    assert retained.get(BOOK, 3) is book
    assert retained.get(BOOK, 4) is None
