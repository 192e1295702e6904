"""Events by which questions in several languages name a time."""

from __future__ import annotations

from datetime import date

import pytest

from everword.text.periods import find_event

DAY = date(2023, 5, 4)


@pytest.mark.parametrize(
    ("text", "words", "period"),
    [
        ("Who called on the eve of the wedding?", "the wedding", "2023-05-03/2023-05-04"),
        ("Was war seit unserer Reise nach Rom?", "unserer Reise nach Rom", "2023-05-04/…"),
        ("Was war am Vorabend der Hochzeit?", "der Hochzeit", "2023-05-03/2023-05-04"),
        ("Hva gjorde jeg dagen etter bryllupet?", "bryllupet", "2023-05-05/2023-05-06"),
        ("¿Qué temía antes de mudarme a Sevilla?", "mudarme a Sevilla", "…/2023-05-05"),
        ("Qu'ai-je fait le lendemain du mariage ?", "mariage", "2023-05-05/2023-05-06"),
        ("De quoi avais-je peur avant l’opération ?", "l’opération", "…/2023-05-05"),
        ("Что я делал на следующий день после свадьбы?", "свадьбы", "2023-05-05/2023-05-06"),
        ("Кто звонил через две недели после операции?", "операции", "2023-05-15/2023-05-22"),
        ("結婚式の翌日に何をしましたか?", "結婚式", "2023-05-05/2023-05-06"),
        ("京都に引っ越す前は何が心配でしたか？", "京都に引っ越す", "…/2023-05-05"),
        ("手術後の一か月はどうでしたか?", "手術", "2023-05-05/2023-06-05"),
        ("婚礼后的第二天我做了什么?", "婚礼", "2023-05-05/2023-05-06"),
        ("搬到上海之前我担心什么?", "搬到上海", "…/2023-05-05"),
        ("결혼식 다음 날 뭐 했어?", "결혼식", "2023-05-05/2023-05-06"),
        ("수술 후 한 달 동안 어땠어?", "수술", "2023-05-05/2023-06-05"),
        ("ماذا فعلت في اليوم التالي للزفاف؟", "زفاف", "2023-05-05/2023-05-06"),
        ("مم كنت قلقا قبل أن أنتقل إلى دبي؟", "أنتقل إلى دبي", "…/2023-05-05"),
        ("शादी के अगले दिन मैंने क्या किया?", "शादी", "2023-05-05/2023-05-06"),
        ("หนึ่งเดือนหลังผ่าตัดฉันเป็นอย่างไร", "ผ่าตัด", "2023-05-05/2023-06-05"),
    ],
)
def test_find_event_reads_the_language_of_the_question(text: str, words: str, period: str) -> None:
    event = find_event(text, ())
    assert event
    assert event.words == words
    assert "/".join(each.isoformat() if each else "…" for each in event.period(DAY)) == period


@pytest.mark.parametrize(
    "text",
    [
        "Wie lange nach der Hochzeit sind wir gefahren?",
        "手術後どのくらいで退院しましたか?",
        "我之前住在哪里?",
        "他以前喜欢什么?",
        "Что ты делаешь после обеда?",
        "전에 뭐라고 했어?",
        "कितने दिन शादी के बाद हम गए?",
    ],
)
def test_find_event_ignores_durations_and_adverbs(text: str) -> None:
    assert find_event(text, ()) is None
