"""Questions in several languages that name their time by an event, at default settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append, message
from support.corpus import moment
from support.databases import cloned
from support.stack import running_stack

#: By language: a sentence that is said each week with another name, the names, the event between the second and the
#: third week, and the question.
CHATS = [
    (
        "Heute Abend waren wir wieder beim Kneipenquiz, unser Name war {} und wir haben lange über Flüsse gestritten.",
        ("Die Eulen", "Die Frettchen", "Die Reiher", "Die Otter"),
        "Die Hochzeit am Samstag war wunderschön, Priya hat beim Jawort geweint und mein Onkel bis zwei getanzt.",
        "Wie hieß unser Team beim Kneipenquiz in der Woche nach der Hochzeit?",
    ),
    (
        "今夜もいつもの仲間とパブのクイズ大会に出て、チーム名は{}で、川の問題でずっともめました。",
        ("ふくろう", "いたち", "さぎ", "かわうそ"),
        "土曜日の結婚式は最高でした。プリヤは誓いの言葉で泣いて、おじさんは夜中の二時まで踊っていました。",
        "結婚式の翌週のクイズ大会でチーム名は何でしたか？",
    ),
    (
        "Сегодня вечером мы опять играли в викторину в пабе, наша команда называлась {}, долго спорили о реках.",
        ("Совы", "Хорьки", "Цапли", "Выдры"),
        "Свадьба в субботу была чудесной, Прия плакала во время клятвы, а дядя танцевал до двух.",
        "Как называлась наша команда на викторине через неделю после свадьбы?",
    ),
]
FIRST = datetime(2023, 5, 4, 20, tzinfo=UTC)


@pytest.mark.asyncio
async def test_search_finds_the_week_after_an_event_in_each_language(postgres_url: str) -> None:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            said = [
                message(text.format(name), create_time=moment(at.isoformat()))
                for text, names, _, _ in CHATS
                for name, at in zip(names, _weeks(), strict=True)
            ]
            said += [
                message(event, create_time=moment("2023-05-22T09:00+00:00"))
                for _, _, event, _ in CHATS
            ]
            await append(stack, *said)
            await embed_everything(stack)
            for _, names, _, question in CHATS:
                request = pb.SearchRequest(
                    query=question, reference_time=moment("2023-06-28T12:00+00:00")
                )
                results = (await stack.search.Search(request)).results
                assert names[-1] in results[0].memory.content, question


def _weeks() -> list[datetime]:
    return [FIRST + timedelta(weeks=n) for n in range(4)]
