"""Times in words, read on a Wednesday: 17 May 2023, noon in UTC."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from everword.text.periods import Period, day_of_event, find_event, find_periods

NOW = datetime(2023, 5, 17, 12, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")


def find(text: str, language: str = "en", now: datetime = NOW, zone: str = "UTC") -> list[Period]:
    return find_periods(text, now, ZoneInfo(zone), language)


def bounds(text: str, language: str = "en") -> tuple[str, ...]:
    """Return the first and last moment of the only period, as `2023-05-14/2023-05-15`."""
    return tuple(
        "/".join(
            moment.isoformat()[:16].removesuffix("T00:00") if moment else "…"
            for moment in (each.start, each.end)
        )
        for each in find(text, language)
    )


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("What did Emi say about cooking in 2023-05?", "2023-05-01/2023-06-01"),
        ("(2023-W19)", "2023-05-08/2023-05-15"),
        ("14.05.2023", "2023-05-14/2023-05-15"),
        ("5/14/2023", "2023-05-14/2023-05-15"),
        ("What did she cook on May 14th, 2023?", "2023-05-14/2023-05-15"),
        ("on December 1,2022", "2022-12-01/2022-12-02"),
        ("What happened today?", "2023-05-17/2023-05-18"),
        ("the day before yesterday", "2023-05-15/2023-05-16"),
        ("yesterday evening", "2023-05-16T17:00/2023-05-17"),
        ("last night", "2023-05-16T18:00/2023-05-17T05:00"),
        ("this morning", "2023-05-17T05:00/2023-05-17T12:00"),
        ("two weeks ago", "2023-05-01/2023-05-08"),
        ("a fortnight ago", "2023-05-01/2023-05-08"),
        ("a couple of weeks ago", "2023-04-26/2023-05-10"),
        ("in the past two weeks", "2023-05-03/2023-05-18"),
        ("three Tuesdays ago", "2023-05-02/2023-05-03"),
        ("last friday", "2023-05-12/2023-05-13"),
        ("on Monday", "2023-05-15/2023-05-16"),
        ("Sunday morning", "2023-05-14T05:00/2023-05-14T12:00"),
        ("on Tuesday of last week", "2023-05-09/2023-05-10"),
        ("on Saturday, May 6th", "2023-05-06/2023-05-07"),
        ("the Sunday before October 25, 2022", "2022-10-23/2022-10-24"),
        ("last weekend", "2023-05-13/2023-05-15"),
        ("over the weekend of May 6", "2023-05-06/2023-05-08"),
        ("the week of May 4", "2023-05-01/2023-05-08"),
        ("on May 3", "2023-05-03/2023-05-04"),
        ("on the 3rd of May", "2023-05-03/2023-05-04"),
        ("May 3-7", "2023-05-03/2023-05-08"),
        ("between May 3 and May 7", "2023-05-03/2023-05-08"),
        ("in June", "2022-06-01/2022-07-01"),
        ("in early June", "2022-06-01/2022-06-11"),
        ("in mid-April", "2023-04-10/2023-04-21"),
        ("late June last year", "2022-06-20/2022-07-01"),
        ("the first week of July", "2022-07-01/2022-07-08"),
        ("the first half of March", "2023-03-01/2023-03-16"),
        ("the last Sunday of April", "2023-04-30/2023-05-01"),
        ("from November to February", "2022-11-01/2023-03-01"),
        ("last summer", "2022-06-01/2022-09-01"),
        ("in the spring", "2023-03-01/2023-06-01"),
        ("in Q1 2023", "2023-01-01/2023-04-01"),
        ("in the second quarter of 2022", "2022-04-01/2022-07-01"),
        ("last fall semester", "2022-09-01/2023-01-01"),
        ("in the 90s", "1990-01-01/2000-01-01"),
        ("since 2023-03", "2023-03-01/…"),
        ("after last week", "2023-05-15/…"),
        ("before 2023-05-14", "…/2023-05-14"),
        ("until Tuesday", "…/2023-05-17"),
        ("the day after Christmas", "2022-12-26/2022-12-27"),
        ("the week after Easter", "2023-04-10/2023-04-17"),
        ("on Thanksgiving last year", "2022-11-24/2022-11-28"),
        ("at Diwali 2022", "2022-10-23/2022-10-28"),
        ("on New Year's Eve", "2022-12-31/2023-01-01"),
        ("What comes next week?", "2023-05-22/2023-05-29"),
        ("What did they get up to last week?", "2023-05-08/2023-05-15"),
        ("the week before last", "2023-05-01/2023-05-08"),
        ("the weekend before last", "2023-05-06/2023-05-08"),
        ("over the last fortnight", "2023-05-03/2023-05-18"),
        ("at the weekend", "2023-05-13/2023-05-15"),
        ("during the last week of April", "2023-04-24/2023-05-01"),
        ("at the beginning of the month", "2023-05-01/2023-05-11"),
        ("on May Day", "2023-05-01/2023-05-02"),
        ("over Easter", "2023-04-07/2023-04-11"),
        ("a week ago today", "2023-05-10/2023-05-11"),
        ("shortly before Easter", "2023-04-02/2023-04-09"),
        ("the week starting May 1", "2023-05-01/2023-05-08"),
        ("on Easter Saturday", "2023-04-08/2023-04-09"),
        ("the weekend two weeks ago", "2023-05-06/2023-05-08"),
        ("on Monday evening last week", "2023-05-08T17:00/2023-05-09"),
    ],
)
def test_find_periods_returns_the_time_of_an_english_phrase(text: str, period: str) -> None:
    assert bounds(text) == (period,)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("Was sagte Ana letzte Woche?", "2023-05-08/2023-05-15"),
        ("am 14. Mai 2023", "2023-05-14/2023-05-15"),
        ("am Sonntagabend", "2023-05-14T17:00/2023-05-15"),
        ("Was war vor Weihnachten?", "…/2022-12-24"),
        ("vorletzten Freitag", "2023-05-05/2023-05-06"),
        ("in der ersten Aprilwoche", "2023-04-01/2023-04-08"),
        ("am Wochenende vom 11. März", "2023-03-11/2023-03-13"),
        ("in den letzten vierzehn Tagen", "2023-05-03/2023-05-18"),
        ("in den letzten Wochen", "2023-04-26/2023-05-18"),
        ("im Vorjahr", "2022-01-01/2023-01-01"),
        ("in der Vorwoche", "2023-05-08/2023-05-15"),
        ("im Frühsommer", "2022-06-01/2022-07-02"),
        ("im Wintersemester", "2022-10-01/2023-03-01"),
        ("in den Sommerferien", "2022-06-20/2022-09-05"),
        ("am Monatsanfang", "2023-05-01/2023-05-11"),
        ("in der zweiten Jahreshälfte", "2022-07-02/2023-01-01"),
        ("Anfang des Jahres", "2023-01-01/2023-04-02"),
        ("Wie war der Wochenendausflug?", "2023-05-13/2023-05-15"),
        ("auf der Aprilreise", "2023-04-01/2023-05-01"),
        ("in der Nacht von Samstag auf Sonntag", "2023-05-13T18:00/2023-05-14T05:00"),
        ("am Mittwochabend letzter Woche", "2023-05-10T17:00/2023-05-11"),
        ("in der Nacht auf Sonntag", "2023-05-13T18:00/2023-05-14T05:00"),
        ("vor gut zwei Wochen", "2023-05-01/2023-05-08"),
        ("kurz nach Ostern", "2023-04-10/2023-04-17"),
        ("zwei Tage vor Ostern", "2023-04-07/2023-04-08"),
        ("vom 3. bis 10. Mai", "2023-05-03/2023-05-11"),
        ("am ersten Mai", "2023-05-01/2023-05-02"),
        ("in den ersten Maitagen", "2023-05-01/2023-06-01"),
        ("in KW 18", "2023-05-01/2023-05-08"),
        ("Was war in der 18. Kalenderwoche?", "2023-05-01/2023-05-08"),
        ("heute vor einer Woche", "2023-05-10/2023-05-11"),
        ("Ende letzter Woche", "2023-05-12/2023-05-15"),
        ("i uke 18", "2023-05-01/2023-05-08"),
        ("im letzten halben Jahr", "2022-11-17/2023-05-18"),
        ("Hvem kom på lørdagskvelden?", "2023-05-13T17:00/2023-05-14"),
        ("il y a une quinzaine de jours", "2023-05-01/2023-05-08"),
        ("¿De qué hablamos a principios de mayo?", "2023-05-01/2023-05-11"),
        ("去年暑假我学了什么?", "2022-06-20/2022-09-05"),
        ("il y a deux semaines", "2023-05-01/2023-05-08"),
        ("hier soir", "2023-05-16T17:00/2023-05-17"),
        ("en été 2022", "2022-06-01/2022-09-01"),
        ("el 3 de mayo de 2022", "2022-05-03/2022-05-04"),
        ("¿Qué hice el sábado por la mañana?", "2023-05-13T05:00/2023-05-13T12:00"),
        ("a finales de junio", "2022-06-20/2022-07-01"),
        ("for to uker siden", "2023-05-01/2023-05-08"),
        ("i går kveld", "2023-05-16T17:00/2023-05-17"),
        ("ieri sera", "2023-05-16T17:00/2023-05-17"),
        ("semana passada", "2023-05-08/2023-05-15"),
        ("vorige week", "2023-05-08/2023-05-15"),
        ("две недели назад", "2023-05-01/2023-05-08"),
        ("на прошлой неделе", "2023-05-08/2023-05-15"),
        ("先週の月曜日に何をした？", "2023-05-08/2023-05-09"),
        ("2週間前", "2023-05-01/2023-05-08"),
        ("去年の夏", "2022-06-01/2022-09-01"),
        ("3月から5月まで", "2023-03-01/2023-06-01"),
        ("昨天晚上", "2023-05-16T18:00/2023-05-17T05:00"),
        ("上周五", "2023-05-12/2023-05-13"),
        ("上个周末", "2023-05-13/2023-05-15"),
        ("지난주 금요일에 무엇을 먹었어?", "2023-05-12/2023-05-13"),
        ("2주 전에", "2023-05-01/2023-05-08"),
        ("5월 3일에 누가 왔어?", "2023-05-03/2023-05-04"),
        ("작년 여름에", "2022-06-01/2022-09-01"),
        ("เมื่อวานเย็นเราคุยเรื่องอะไร", "2023-05-16T17:00/2023-05-17"),
        ("2 สัปดาห์ก่อนทำอะไร", "2023-05-01/2023-05-08"),
        ("ต้นเดือนพฤษภาคมเกิดอะไรขึ้น", "2023-05-01/2023-05-11"),
        ("पिछले हफ्ते हमने क्या खाया?", "2023-05-08/2023-05-15"),
        ("सोमवार शाम को", "2023-05-15T17:00/2023-05-16"),
        ("3 मई को कौन आया था?", "2023-05-03/2023-05-04"),
        ("الأسبوع الماضي", "2023-05-08/2023-05-15"),
        ("قبل أسبوعين", "2023-05-01/2023-05-08"),
        ("منذ شهر مايو", "2023-05-01/…"),
    ],
)
def test_find_periods_reads_the_language_of_the_text(text: str, period: str) -> None:
    assert bounds(text) == (period,)


@pytest.mark.parametrize(
    "text",
    [
        "How long is a week on the farm?",
        "Who may march with us for 3 weeks?",
        "the last day of school, last years budget",
        "weeks ago, 3 billion weeks ago",
        "CVE-2023-05-11, order 2023-05-1234, v2023-05, /2023-05/x",
        "2023-02-31 2023-13 9999-12",
        "to be or not to be, in 3.5 parts of 1,200",
        "Der Film war hier gut, oder?",
        "",
    ],
)
def test_find_periods_ignores_ordinary_words_and_impossible_dates(text: str) -> None:
    assert bounds(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "next " * 1000 + "year",
        "x" * 100_000,
        f"in {10**30} years",
        f"{10**30} years ago",
        "9999 years ago",
        "year 0, 0000-01-01, 99999-01-01, 31 February 2023",
        "1 " * 50_000,
        "between May and " * 6_000,
        "the last week of " * 6_000 + "May",
        "昨" * 50_000,
    ],
)
@pytest.mark.parametrize(
    "now", [NOW, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_find_periods_survives_absurd_texts_quickly(text: str, now: datetime) -> None:
    before = time.process_time()
    found = find_periods(text, now, ZoneInfo("Pacific/Kiritimati"))
    assert len(found) <= 8
    assert time.process_time() - before < 1


def test_find_periods_uses_the_zone_and_the_direction_of_plans() -> None:
    """At noon in UTC, it is the next day in Kiritimati already."""
    [today] = find("today", zone="Pacific/Kiritimati")
    assert today.start == datetime(2023, 5, 17, 10, tzinfo=UTC)
    [friday] = find_periods("on Friday", NOW, UTC_ZONE, upcoming=True)
    assert friday.start == datetime(2023, 5, 19, tzinfo=UTC)
    assert (friday.words, friday.confidence, friday.unit) == ("Friday", 0.8, "day")
    [june] = find("What did June say?")
    assert june.confidence < 0.6


@pytest.mark.parametrize(
    ("text", "words", "period"),
    [
        ("What did I eat the day after the wedding?", "the wedding", "2023-05-05/2023-05-06"),
        ("Where did I work before I moved to Leeds?", "I moved to Leeds", "…/2023-05-05"),
        ("Who called me after Anna's party?", "Anna's party", "2023-05-04/…"),
        ("How was the month after my surgery?", "my surgery", "2023-05-05/2023-06-05"),
        ("What did I read on the day of the exam?", "the exam", "2023-05-04/2023-05-05"),
        ("¿Qué comimos el día después de la boda?", "la boda", "2023-05-05/2023-05-06"),
        ("Wie ging es in der Woche nach der OP?", "der OP", "2023-05-05/2023-05-12"),
        ("What did I do after Christmas?", "", ""),
        ("How long after the wedding did we leave?", "", ""),
        ("What is the name of the dog of my aunt?", "", ""),
    ],
)
def test_find_event_returns_the_words_and_the_period(text: str, words: str, period: str) -> None:
    """The message about the event, sent a week later, names its day."""
    event = find_event(text, find(text))
    assert (event.words if event else "") == words
    if event:
        told = datetime(2023, 5, 10, 18, tzinfo=UTC)
        day = day_of_event("It finally happened last Thursday, and all went well.", told, UTC_ZONE)
        found = event.period(day)
        assert "/".join(each.isoformat() if each else "…" for each in found) == period
