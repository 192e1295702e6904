"""Questions find answers in other words and in other languages, with the default model and the default mode."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: A message, a question in other words, and one in another language.
SAID_AND_ASKED = {
    "de": (
        "Mein Bruder ist letzten Monat nach Lissabon gezogen, er vermisst schon den Schnee.",
        "In welcher Stadt lebt mein Geschwister jetzt?",
        "Which city did my brother move to?",
    ),
    "no": (
        "Vi tok bikkja til dyrlegen i går, hun hadde spist en hel sjokoladeplate.",
        "Hva var galt med hunden vår?",
        "Why did the dog need a vet?",
    ),
    "es": (
        "El casero por fin mandó a alguien y la caldera vuelve a funcionar.",
        "¿Está arreglada la calefacción?",
        "Has the heating been repaired?",
    ),
    "ja": (
        "来週の火曜日に歯を抜いてもらうことになりました。",
        "歯医者の予約はいつですか。",
        "When will my tooth be pulled?",
    ),
    "ar": (
        "حصلت ابنتي على الميدالية الذهبية في سباق السباحة.",
        "من فاز في المسابقة؟",
        "Who won the swimming race?",
    ),
    "en": (
        "The payroll export broke because the disk of the backup server was full.",
        "Why were no salaries transferred?",
        "Warum ist der Export der Gehälter gescheitert?",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await append(stack, *(said for said, _, _ in SAID_AND_ASKED.values()))
            await embed_everything(stack)
            yield stack


@pytest.mark.parametrize("language", SAID_AND_ASKED)
async def test_answer_in_other_words_comes_first(stack: Stack, language: str) -> None:
    said, asked, _ = SAID_AND_ASKED[language]
    assert await _first(stack, asked) == said


async def test_most_answers_in_another_language_come_first(stack: Stack) -> None:
    firsts = [await _first(stack, asked) == said for said, _, asked in SAID_AND_ASKED.values()]
    assert sum(firsts) >= 4


async def _first(stack: Stack, question: str) -> str:
    found = await stack.search.Search(pb.SearchRequest(query=question))
    return found.results[0].memory.content


@pytest.mark.parametrize(
    "asked",
    [
        "Warum ist der Export der Gehälter gescheitert?",
        "¿Por qué falló la exportación de las nóminas?",
        "Hvorfor feilet eksporten av lønningene?",
        "給与のエクスポートはなぜ失敗しましたか。",
    ],
)
async def test_question_in_another_language_finds_an_english_answer(
    stack: Stack, asked: str
) -> None:
    found = await stack.search.Search(pb.SearchRequest(query=asked))
    english, _, _ = SAID_AND_ASKED["en"]
    assert english in [each.memory.content for each in found.results[:2]]


@pytest.mark.parametrize(
    "asked",
    [
        "谁赢了足球比赛?",
        "她妹妹学的是什么专业?",
        "Hvem vant sjakkturneringen?",
        "Hva koster abonnementet på strømmetjenesten?",
        "Welche Farbe hat das neue Sofa?",
    ],
)
async def test_question_about_nothing_in_the_messages_is_called_so(
    stack: Stack, asked: str
) -> None:
    found = await stack.search.Search(pb.SearchRequest(query=asked))
    assert found.verdict == pb.VERDICT_NOTHING_RELEVANT
