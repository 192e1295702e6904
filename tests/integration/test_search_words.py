"""Words of many languages in one namespace at default settings, from the cache and from the database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.cached_search import asked, reference_search, warm_up
from support.calls import append
from support.corpus import search_request
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXTS = {
    "plant": "Die kleine Pflanze am Fenster braucht jeden Morgen etwas Wasser.",
    "insurance": "Unsere Krankenversicherung hat den Beitrag zum Januar erhöht.",
    "house": "On a visité une belle maison près de la rivière hier après-midi.",
    "songs": "Las canciones de mi abuela siempre hablan del mar y del viento.",
    "book": "Мы купили новую книгу о море, и она уже лежит на столе.",
    "arabic": "اشترينا الكتاب الجديد من السوق أمس مساءً مع أصدقائنا",
    "hebrew": "אתמול חזרנו מאוחר ולא מצאנו את המפתח של הבית בחיפה",
    "thai": "เมื่อวานนี้ฉันไปซื้อผลไม้ที่ตลาดใกล้บ้านกับแม่",
    "burmese": "ကျွန်တော်တို့မန္တလေးမြို့ကိုရထားနဲ့သွားခဲ့တယ်",
    "korean": "동생이 집에서 일하다가 저녁에 병원으로 갔어요.",
    "exact": "Herr Muller from the second floor lost his umbrella again.",
    "umlaut": "Herr Müller from the second floor lost his umbrella again.",
    "city": "Next spring we will visit my cousin who has moved to Zürich.",
    "cpp": "The parser is written in C++ because it has to be really fast.",
    "csharp": "The other tool is written in C# and needs .NET on the server.",
    "letter": "Vitamin C is in the blue box, and the net is in the garage.",
    "ticket": "The crash is tracked as JIRA-123 and was fixed in node.js code.",
    "other": "There are 123 open tickets in the JIRA project of the other team.",
    "disk": "The new disk writes about two GB/s when nobody else uses it.",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def searches(postgres_url: str) -> AsyncIterator[tuple[Stack, SearchServiceStub]]:
    """A stack with a cache, and a search of the same database without one."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await append(stack, *TEXTS.values())
            async with reference_search(database) as reference:
                await warm_up(stack)
                yield stack, reference


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("Pflanzen", ["plant"]),
        ("Versicherungen", ["insurance"]),
        ("maisons", ["house"]),
        ("canción", ["songs"]),
        ("книги", ["book"]),
        ("كتاب", ["arabic"]),
        ("מפתח", ["hebrew"]),
        ("ตลาด", ["thai"]),
        ("မန္တလေး", ["burmese"]),
        ("병원에", ["korean"]),
        ("muller", ["exact", "umlaut"]),
        ("Müller", ["umlaut", "exact"]),
        ("Mueller", ["umlaut"]),
        ("Zurich", ["city"]),
        ("C++", ["cpp"]),
        ("C#", ["csharp"]),
        (".NET", ["csharp"]),
        ("JIRA-123", ["ticket", "other"]),
        ("GB/s", ["disk"]),
    ],
)
async def test_words_are_found_from_the_cache_and_from_the_database(
    searches: tuple[Stack, SearchServiceStub], query: str, places: list[str]
) -> None:
    stack, reference = searches
    request = search_request(query, "LEXICAL")
    in_memory, _ = await asked(stack.search, request)
    in_database = await reference.Search(request)
    for response in (in_memory, in_database):
        assert [each.memory.content for each in response.results] == [
            TEXTS[each] for each in places
        ]
    found = await stack.search.Search(search_request(query, "HYBRID"))
    # Among texts that differ in an accent only, vectors decide.
    assert found.results[0].memory.content in [TEXTS[each] for each in places]
