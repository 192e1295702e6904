"""Whole-word triggers: scripts without spaces, Korean particles, apostrophes, and the Turkish letters i."""

from __future__ import annotations

import time
from uuid import UUID

import pytest

from everword.lore.matcher import Matcher, Text
from everword.lore.model import EntryId, Rule, Trigger, TriggerMode
from everword.lore.words import insert_edge_marks

SUBSTRING, WORD, EXACT, _ = TriggerMode


def holds(text: str, key: str, mode: TriggerMode = WORD, *, cased: bool = False) -> bool:
    rule = Rule(EntryId(UUID(int=1)), UUID(int=9), "entry", [Trigger(key, mode, cased)])
    return bool(Matcher([rule]).match_plain(Text(text)))


@pytest.mark.parametrize(
    ("key", "yes", "no"),
    [
        ("龙", ["一条龙在山上", "龙"], ["一条虎"]),
        ("北京", ["我住在北京市。", "北京"], ["北方京城"]),
        ("dragon", ["我喜欢dragon吗", "赤いdragonが", "มีdragonอยู่"], ["我喜欢dragons吗"]),
        ("東京", ["明日東京に行く"], ["東の京"]),
        ("ドラゴン", ["赤いドラゴンが来た", "ﾄﾞﾗｺﾞﾝが"], ["ドラム"]),
        ("มังกร", ["ฉันเห็นมังกรในถ้ำ"], ["ฉันเห็นเสือ"]),
        # A following vowel or mark belongs to the syllable.
        ("แม", ["แมว"], ["แม่ของฉัน"]),
        ("กา", ["กาบิน"], ["เกาะ"]),
        ("ມັງກອນ", ["ຂ້ອຍເຫັນມັງກອນຢູ່"], ["ຂ້ອຍເຫັນເສືອ"]),
        ("នាគ", ["ខ្ញុំឃើញនាគនៅភ្នំ"], ["ខ្ញុំឃើញខ្លា"]),
        ("ក", ["ក ខ"], ["ស្ករ"]),
        ("နဂါး", ["ငါနဂါးကိုမြင်တယ်"], ["ငါကျားကိုမြင်တယ်"]),
        ("서울", ["서울에서 만나요", "서울은 크다", "서울", "서울까지는"], ["남서울 호텔", "서울대공원"]),
        ("소", ["소가 웃는다"], ["소설을 읽다"]),
        ("바", ["바에서"], ["바나나", "바다"]),
        ("나비", ["나비예요", "나비들에게도"], ["나비넥타이"]),
        ("만나", ["만나요"], ["만두"]),
        ("서울에서 만나", ["내일 서울에서 만나요"], ["서울 만나"]),
        ("Everword", ["Everword는 좋다", "Everword를"], ["Everwords는"]),
        ("서울", ["서울API를 쓴다"], []),
    ],
)  # fmt: skip
def test_word_trigger_matches_within_scripts_without_spaces_and_before_particles(
    key: str, yes: list[str], no: list[str]
) -> None:
    for cased in (False, True):
        for text in yes:
            if not (cased and text == "ﾄﾞﾗｺﾞﾝが"):
                assert holds(text, key, cased=cased), text
        for text in no:
            assert not holds(text, key, cased=cased), text


@pytest.mark.parametrize("mode", [SUBSTRING, WORD, EXACT])
@pytest.mark.parametrize("cased", [False, True])
def test_trigger_with_an_apostrophe_matches_every_apostrophe(
    mode: TriggerMode, cased: bool
) -> None:
    for key in ("O'Brien", "O’Brien", "OʼBrien"):
        for text in ("O'Brien", "O’Brien", "O‘Brien", "O＇Brien"):
            assert holds(text, key, mode, cased=cased), (key, text)
    assert holds("Don’t go", "don't", WORD)
    assert holds("the king’s men", "king", WORD)


@pytest.mark.parametrize("mode", [SUBSTRING, WORD, EXACT])
def test_trigger_matches_turkish_letters_in_either_case(mode: TriggerMode) -> None:
    for words in (
        ("İstanbul", "istanbul", "İSTANBUL", "ISTANBUL", "i\u0307stanbul", "I\u0307stanbul"),
        ("kadın", "KADIN", "Kadın", "kadin"),
        ("ışık", "IŞIK", "Işık"),
    ):
        for key in words:
            for text in words:
                assert holds(text, key, mode), (key, text)
    assert not holds("istanbul", "İstanbul", mode, cased=True)


def test_insert_edge_marks_is_fast_in_any_script() -> None:
    longest = 0.0
    for text in (
        "The quick fox. " * 2200,
        "我们决定把数据库" * 4100,
        "서울에 있는 " * 4700,
        "ฉันเห็นมังกร" * 2700,
    ):
        began = time.process_time()
        insert_edge_marks(text[:32_768])
        longest = max(longest, time.process_time() - began)
    assert longest < 0.25
