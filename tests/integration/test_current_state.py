"""Current values rank before outdated ones, which are marked: in every mode, page and filter."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_pb2, memory_pb2
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import search_service_pb2 as search
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import reference_search, warm_up
from support.databases import cloned
from support.stack import Stack, running_stack
from support.stated_facts import day, find, ids, marked, marks, remember, say, stamp, tell

pytestmark = pytest.mark.asyncio(loop_scope="module")

WHERE = "Where do I live?"
BRINGING = ("HYBRID", "LEXICAL", "SEMANTIC")
#: An old statement that repeats the question's words, a new one that does not, and their values.
CHANGES = {
    "residence": (
        "I live in Berlin, where I live well.",
        "We moved to Lisbon!",
        "Berlin",
        "Lisbon",
    ),
    "employer": ("I work at Acme, I live for it.", "Started at Initech.", "Acme", "Initech"),
    "vehicle": ("I live with my Vespa.", "Bought the Skoda.", "Vespa", "Skoda"),
    "diet": ("I live on a vegan diet.", "Eating fish again.", "vegan", "pescetarian"),
    "editor": ("I live in Vim.", "Zed it is now.", "Vim", "Zed"),
    "partner": ("I live with Jonas.", "Erik and me, one year!", "Jonas", "Erik"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(postgres_url: str) -> AsyncIterator[tuple[Stack, SearchServiceStub]]:
    """A stack that caches namespaces, and a search of the same database without a cache."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for attribute, (old, new, was, is_) in CHANGES.items():
                await tell(stack, old, was, 0, subject="many", attribute=attribute)
                await say(stack, f"I live, and {attribute} is a word.", 1, subject="many")
                await tell(stack, new, is_, 2, subject="many", attribute=attribute)
            await embed_everything(stack)
            async with reference_search(database, stack.addresses["embedder"]) as reference:
                yield stack, reference


@pytest.fixture
def told(both: tuple[Stack, SearchServiceStub]) -> Stack:
    """A stack; each test uses a subject of its own."""
    return both[0]


async def test_current_statement_ranks_first_and_older_one_is_marked_with_its_end(
    told: Stack,
) -> None:
    old = await tell(told, "I live in Berlin, I live well.", "Berlin", 0, subject="emi")
    new = await tell(told, "We moved to Lisbon!", "Lisbon", 100, subject="emi")
    # The same attribute of another subject, and an attribute with several current values.
    noa = await tell(told, "I live in Oslo.", "Oslo", 200, subject="noa")
    await tell(told, "I live with Rex.", "Rex", 0, subject="emi", attribute="pet")
    await tell(told, "I live with Milo.", "Milo", 1, subject="emi", attribute="pet")
    await embed_everything(told)
    for mode in BRINGING:
        for profile in ("recall", "balanced"):
            found = await find(told, WHERE, subject="emi", mode=mode, profile=profile)
            order = ids(found)
            assert order.index(new) < order.index(old), (mode, profile)
            assert marks(found) == {old: ["Berlin replaced 2024-04-10 -> Lisbon"]}
            assert noa not in order
            scores = [result.score for result in found.results]
            assert scores == sorted(scores, reverse=True)
    [[mark]] = [result.superseded for result in found.results if result.superseded]
    assert (mark.current_memory_id, mark.current_text) == (new, "Residence of emi: Lisbon")
    # Searches for letters mark outdated values, but do not add the current one.
    for mode, query in (("REGEX", "live in"), ("TRIGRAM", "Berlin")):
        found = await find(told, query, subject="emi", mode=mode)
        assert marks(found).get(old, ["Berlin replaced 2024-04-10 -> Lisbon"])
        assert new not in ids(found)


async def test_value_that_is_current_again_is_not_marked_as_ended(told: Stack) -> None:
    first = await tell(told, "I live in Berlin.", "Berlin", 0, subject="rev")
    between = await tell(
        told, "I live in Lisbon now, I live by the sea.", "Lisbon", 100, subject="rev"
    )
    back = await tell(told, "Home again, to the old flat!", "Berlin", 200, subject="rev")
    found = await find(told, "Do I live by the sea?", subject="rev")
    order = ids(found)
    assert marks(found) == {between: ["Lisbon replaced 2024-07-19 -> Berlin"]}
    assert min(order.index(first), order.index(back)) < order.index(between)
    # As of a time in between, the first value had ended, and later statements did not exist.
    then = memory_pb2.MemoryFilter(valid_at_time=stamp(day(150)))
    assert marks(await find(told, WHERE, subject="rev", filter=then)) == {
        first: ["Berlin replaced 2024-04-10 -> Lisbon"]
    }
    # With repeated changes, only the current value is unmarked.
    await tell(told, "Lisbon, once more.", "Lisbon", 300, subject="rev")
    third = await tell(told, "I live in Rome.", "Rome", 400, subject="rev")
    found = await find(told, WHERE, subject="rev")
    assert ids(found)[0] == third or found.results[0].memory.content == "Residence of rev: Rome"
    ended = {each.split(" -> ")[1] for mark in marks(found).values() for each in mark}
    assert ended == {"Rome"}
    assert marks(found)[between] == ["Lisbon replaced 2024-07-19 -> Rome"]


async def test_closed_corrected_and_hypothetical_facts_are_marked_differently(told: Stack) -> None:
    job = await say(told, "I work at Globex.", 0, subject="ends")
    fact = await remember(told, "Globex", [job], subject="ends", attribute="employer")
    until = stamp(day(50))
    await told.facts.CloseFact(facts.CloseFactRequest(fact_id=fact.id, valid_until_time=until))
    found = await find(told, "Where do I work?", subject="ends")
    assert marks(found) == {job: ["Globex closed 2024-02-20 -> nothing"]}
    assert ids(found) == [job]

    said = await say(told, "My birthday is on July 4.", 1, subject="ends")
    wrong = await remember(told, "July 4", [said], subject="ends", attribute="birthday")
    guess = await say(told, "Maybe my birthday is on July 5?", 2, subject="ends")
    evidence = [fact_pb2.NewEvidence(message_id=guess)]
    guessed = facts.RememberRequest(
        subject="ends", attribute="birthday", value="July 5", hypothesis=True, evidence=evidence
    )
    await told.facts.Remember(guessed)
    assert not marks(await find(told, "When is my birthday?", subject="ends")).keys() & {
        said,
        guess,
    }
    await told.facts.CorrectFact(facts.CorrectFactRequest(fact_id=wrong.id, value="July 14"))
    found = await find(told, "When is my birthday on July 4?", subject="ends")
    [[mark]] = [each.superseded for each in found.results if each.memory.id == said]
    assert (mark.ending, mark.current_value) == (fact_pb2.FACT_ENDING_CORRECTED, "July 14")
    order = [result.memory.content for result in found.results]
    assert order.index("Birthday of ends: July 14") < order.index("My birthday is on July 4.")
    # `known_at_time` before the correction returns the knowledge of that time.
    moment = mark.ended_time.ToDatetime(UTC) - timedelta(milliseconds=1)
    then = memory_pb2.MemoryFilter(known_at_time=stamp(moment))
    found = await find(told, "When is my birthday?", subject="ends", filter=then)
    assert said in ids(found)
    assert said not in marks(found)


@pytest.mark.parametrize(
    ("mode", "profile"), [*((mode, "recall") for mode in BRINGING), ("HYBRID", "balanced")]
)
@pytest.mark.parametrize("size", [1, 3, 4])
async def test_pages_return_each_result_once_with_current_before_outdated(
    told: Stack, mode: str, profile: str, size: int
) -> None:
    whole = await find(told, WHERE, subject="many", mode=mode, profile=profile, page_size=200)
    results: list[search.SearchResult] = []
    token = ""
    while True:
        page = await find(
            told,
            WHERE,
            subject="many",
            mode=mode,
            profile=profile,
            page_size=size,
            page_token=token,
        )
        results += page.results
        token = page.next_page_token
        if not token:
            break
        assert len(page.results) == size
    order = [result.memory.id for result in results]
    assert order == ids(whole)
    assert len(order) == len(set(order))
    ended = [result for result in results if result.superseded]
    assert len(ended) == len(CHANGES)
    for result in ended:
        [mark] = result.superseded
        current = {
            each.memory.id
            for each in results
            if each.memory.id == mark.current_memory_id or each.memory.content == mark.current_text
        }
        assert min(map(order.index, current)) < order.index(result.memory.id)
    natural = await find(
        told, WHERE, subject="many", mode=mode, profile=profile, page_size=200, explain=True
    )
    assert ids(natural) == order


async def test_cache_and_database_rank_and_mark_alike(
    both: tuple[Stack, SearchServiceStub],
) -> None:
    stack, reference = both
    await warm_up(stack)
    for mode in BRINGING:
        request = search.SearchRequest(
            query=WHERE, mode=search.SearchMode.Value(f"SEARCH_MODE_{mode}"), page_size=5
        )
        request.filter.subjects.append("many")
        here, there = await stack.search.Search(request), await reference.Search(request)
        assert ids(here) == ids(there)
        assert marks(here) == marks(there)
        assert len(marks(here)) > 1


async def test_current_value_is_not_added_if_the_filter_excludes_it(told: Stack) -> None:
    subject = "filtered"
    old = await tell(told, "I live in Berlin.", "Berlin", 0, subject=subject, author="Ana")
    new = await tell(told, "We moved to Lisbon!", "Lisbon", 100, subject=subject, author="Bo")
    new_fact = (await find(told, "residence Lisbon", subject=subject, mode="LEXICAL")).results[0]
    assert new_fact.memory.kind == memory_pb2.MEMORY_KIND_FACT
    replaced, ended = (
        "Berlin replaced 2024-04-10 -> Lisbon",
        "Berlin replaced 2024-04-10 -> nothing",
    )

    async def found(**fields: Any) -> tuple[list[str], dict[str, list[str]]]:
        wanted = memory_pb2.MemoryFilter(**fields)
        response = await find(told, WHERE, subject=subject, filter=wanted)
        return ids(response), marks(response)

    message, fact = memory_pb2.MEMORY_KIND_MESSAGE, memory_pb2.MEMORY_KIND_FACT
    assert await found(kinds=[message]) == ([new, old], {old: [replaced]})
    # The fact itself replaces the excluded message; if both are excluded, the current value is not mentioned.
    assert await found(excluded_memory_ids=[new]) == ([new_fact.memory.id, old], {old: [replaced]})
    assert await found(authors=["Ana"]) == ([old], {old: [ended]})
    assert await found(excluded_authors=["Bo"], excluded_kinds=[fact]) == ([old], {old: [ended]})
    assert await found(excluded_memory_ids=[new, new_fact.memory.id]) == ([old], {old: [ended]})
    # Before the move, nothing had ended; at its own time, the old value had.
    assert await found(end_time=stamp(day(50))) == ([old], {})
    assert await found(as_of_message_id=old) == ([old], {})
    assert await found(as_of_message_id=new, kinds=[message]) == ([new, old], {old: [replaced]})
    # Promoted memories must match required words of the query, too.
    demanding = await find(told, "live AND Berlin", subject=subject)
    assert (ids(demanding), marks(demanding)) == ([old], {old: [ended]})


async def test_reads_as_of_a_message_exclude_facts_from_later_messages(
    both: tuple[Stack, SearchServiceStub],
) -> None:
    (told, reference), subject = both, "late"
    first = await say(told, "Hello from nowhere.", 10, subject=subject)
    early = await say(told, "I have lived in Berlin for years.", 20, subject=subject)
    later = await say(told, "I have played the residence organ for years.", 30, subject=subject)
    since: dict[str, Any] = {"subject": subject, "valid_from_time": stamp(day(0))}
    await remember(told, "Berlin", [early], **since)
    await remember(told, "residence organ", [later], attribute="hobby", **since)
    await remember(told, "Atlas", attribute="employer", **since)

    async def found(stub: SearchServiceStub, message_id: str) -> set[str]:
        wanted = memory_pb2.MemoryFilter(
            kinds=[memory_pb2.MEMORY_KIND_FACT], subjects=[subject], as_of_message_id=message_id
        )
        query = f"residence hobby employer of {subject}"
        hits = (await stub.Search(search.SearchRequest(query=query, filter=wanted))).results
        listed = (await stub.Browse(search.BrowseRequest(filter=wanted))).memories
        request = context.BuildContextRequest(query=query, filter=wanted)
        blocks = (await told.context.BuildContext(request)).blocks
        contents = {each.content.partition(": ")[2] for each in listed}
        assert {hit.memory.content.partition(": ")[2] for hit in hits} == contents
        items = [item.text for block in blocks for item in block.items]
        assert {value for value in contents for text in items if value in text} == contents
        assert len(items) == len(contents)
        return contents

    expected = {first: set[str](), early: {"Berlin"}, later: {"Berlin", "residence organ"}}
    for stub in (told.search, reference):
        for message_id, values in expected.items():
            assert await found(stub, message_id) == values


async def test_superseded_facts_are_returned_on_request_after_current_ones(told: Stack) -> None:
    for value, at in (("Berlin", 0), ("Lisbon", 100), ("Rome", 200)):
        moment = stamp(day(at))
        await remember(told, value, subject="facts", valid_from_time=moment)
    query = "residence Berlin Lisbon"
    assert len(ids(await find(told, query, subject="facts"))) == 1
    wanted = memory_pb2.MemoryFilter(include_superseded=True)
    found = await find(told, query, subject="facts", filter=wanted)
    assert found.results[0].memory.content == "Residence of facts: Rome"
    assert sorted(each for mark in marks(found).values() for each in mark) == [
        "Berlin replaced 2024-04-10 -> Rome",
        "Lisbon replaced 2024-07-19 -> Rome",
    ]
    listed = (await told.search.Browse(search.BrowseRequest(filter=wanted))).memories
    ended = {each.content: [marked(one) for one in each.superseded] for each in listed}
    assert ended["Residence of facts: Berlin"] == ["Berlin replaced 2024-04-10 -> Rome"]
    assert ended["Residence of facts: Rome"] == []
    then = memory_pb2.MemoryFilter(include_superseded=True, valid_at_time=stamp(day(150)))
    found = await find(told, query, subject="facts", filter=then)
    assert [result.memory.content[-6:] for result in found.results] == ["Lisbon", "Berlin"]


async def test_message_with_several_facts_is_marked_for_each_separately(told: Stack) -> None:
    subject = "mixed"
    old = await tell(told, "I live in Berlin and work at Acme.", "Berlin", 0, subject=subject)
    await remember(told, "Acme", [old], subject=subject, attribute="employer")
    new = await tell(told, "We moved to Lisbon!", "Lisbon", 100, subject=subject)
    found = await find(told, WHERE, subject=subject)
    assert marks(found) == {old: ["Berlin replaced 2024-04-10 -> Lisbon"]}
    assert ids(found).index(new) < ids(found).index(old)
    both = await say(told, "I left Acme for Initech, and Lisbon for Porto.", 200, subject=subject)
    await remember(told, "Initech", [both], subject=subject, attribute="employer")
    await remember(told, "Porto", [both], subject=subject)
    found = await find(told, "live in Berlin work at Acme", subject=subject)
    assert marks(found)[old] == [
        "Acme replaced 2024-07-19 -> Initech",
        "Berlin replaced 2024-04-10 -> Porto",
    ]
    assert ids(found).count(both) == 1
    assert ids(found).index(both) < ids(found).index(old)


async def test_long_value_supersedes_the_previous_one(told: Stack) -> None:
    long = "the old mill by the river, behind the second bridge, up the stairs and left " * 9
    old = await tell(told, "I live in Berlin.", "Berlin", 0, subject="long")
    new = await tell(told, f"Now it is {long}.", long, 100, subject="long")
    found = await find(told, WHERE, subject="long")
    assert ids(found).index(new) < ids(found).index(old)
    assert marks(found) == {old: [f"Berlin replaced 2024-04-10 -> {long}"]}
