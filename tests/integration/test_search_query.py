"""Queries as people type them find the intended memories, and never fail."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.calls import append, message
from support.corpus import Corpus, sample_corpus, search_request
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYDAY = [
    *(
        "How do we handle auth?",
        "auth.rs",
        "10.0.0.1",
        "it's",
        "C++",
        '"unbalanced',
        "🎉",
        "数据库怎么迁移",
    ),
    *(
        "-",
        "*",
        "OR",
        "()",
        "&|!:<>\\'",
        "the of and",
        "' OR 1=1 --",
        "%s %(x)s {} $1",
        "a:* & b",
        "<->",
    ),
    *(
        "\\",
        "\\\\'",
        "NOT",
        "AND AND",
        '""',
        "“”",
        "猫",
        "العربية",
        "नमस्ते",
        "é",
        "\u200b\u00ad",
        "x" * 300,
    ),
    *(
        "https://example.org/a?b=c#d",
        "user@example.org",
        "-1.5e10",
        "2026-03-12T20:30",
        "/etc/passwd",
    ),
    *("'a':*B & 'c'", "!!", "(((", "a AND (b OR c)", "-x", "NOT x", '-"a b"', "+", "?" * 100),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def corpus(postgres_url: str) -> AsyncIterator[Corpus]:
    async with sample_corpus(postgres_url) as corpus:
        yield corpus


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def small(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack with a few messages, each chosen for one query feature."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await append(
                stack,
                "We decided on PostgreSQL as the database.",
                "Everyone liked the automatic backups of the universe.",
                "数据库迁移在星期四完成。",
                "The café in Zürich serves crème brûlée 🎉",
                "Don't touch O'Brien's auth.rs before v2.10.3",
                message(
                    "",
                    content_blocks=[
                        memory_pb2.ContentBlock(
                            type="image_url",
                            text="A photo of a lighthouse",
                            json='{"type": "image_url"}',
                        )
                    ],
                ),
                message("", role=4, tool_name="grep_files", tool_args='{"needle": "haystack"}'),
            )
            yield stack


def degraded(response: pb.SearchResponse) -> set[pb.SearchArm.ValueType]:
    """Return the failed arms among those that need no model."""
    failed = {arm.arm for arm in response.arms if arm.state == pb.ArmReport.STATE_DEGRADED}
    return failed & {pb.SEARCH_ARM_LEXICAL, pb.SEARCH_ARM_TRIGRAM}


async def contents(stack: Stack, query: str, mode: str = "LEXICAL") -> list[str]:
    response = await stack.search.Search(search_request(query, mode))
    return [result.memory.content for result in response.results]


@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL", "TRIGRAM"])
@pytest.mark.parametrize("query", EVERYDAY)
async def test_everyday_input_is_never_an_error(corpus: Corpus, query: str, mode: str) -> None:
    response = await corpus.search(query, mode)
    assert response.verdict in (pb.VERDICT_RELEVANT, pb.VERDICT_NOTHING_RELEVANT)
    assert response.results or response.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert response.arms
    assert not degraded(response)


@pytest.mark.parametrize(
    "piece", ['"', "a OR ", "-x ", '"a b" ', "(", "*", "a.b-", "数", "🎉", "ab* ", "w{} "]
)
async def test_query_of_eight_kibibytes_is_not_an_error(corpus: Corpus, piece: str) -> None:
    text = "".join(piece.format(n) for n in range(8192 // len(piece.format(9999).encode())))
    for mode in ("HYBRID", "TRIGRAM"):
        response = await corpus.search(text, mode)
        assert not degraded(response)


@pytest.mark.parametrize("query", [" ", "\n\t ", "\u3000"])
@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL", "TRIGRAM", "REGEX"])
async def test_whitespace_query_is_refused(corpus: Corpus, query: str, mode: str) -> None:
    refusal = await refused(corpus.search(query, mode))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"query"}


async def test_an_empty_query_is_refused(corpus: Corpus) -> None:
    refusal = await refused(corpus.search(""))
    assert refusal.fields == {"query"}


async def test_a_natural_question_is_matched_by_any_of_its_words(small: Stack) -> None:
    """If every word were required, most questions would find nothing."""
    found = await contents(small, "Which database did we decide on?")
    assert found[0] == "We decided on PostgreSQL as the database."


@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL"])
async def test_quotes_and_signs_in_a_question_are_not_operators(small: Stack, mode: str) -> None:
    for question in (
        'Which "relational database" did we decide on?',
        "Which database did we decide on with -rf NOT PostgreSQL?",
        'We decided on "the database". Which one is it? Name it.',
    ):
        found = await contents(small, question, mode)
        assert found[0] == "We decided on PostgreSQL as the database."
    assert await contents(small, 'Which "relational database" did we decide on', mode) == []


@pytest.mark.parametrize(
    ("query", "beginning"),
    [
        ("postgresql", "We decided"),
        ("数据库", "数据库"),
        ("猫 迁移", "数据库"),
        ("完", "数据库"),
        ("cafe\u0301", "The café"),
        ("ZÜRICH", "The café"),
        ("🎉", "The café"),
        ("auth.rs", "Don't touch"),
        ("o'brien", "Don't touch"),
        ("O’Brien", "Don't touch"),
        ("univers*", "Everyone"),
        ("every*", "Everyone"),
        ("backups*", "Everyone"),
        ("lighthouse", "A photo"),
        ("haystack", "grep_files"),
        ("grep_files", "grep_files"),
    ],
)
async def test_query_finds_only_the_intended_memory(
    small: Stack, query: str, beginning: str
) -> None:
    found = await contents(small, query)
    assert len(found) == 1
    assert found[0].startswith(beginning)


@pytest.mark.parametrize("query", ["type", "text", "json", "image_url", "role", "content"])
async def test_json_keys_of_content_blocks_are_not_indexed(small: Stack, query: str) -> None:
    assert await contents(small, query, "HYBRID") == []


async def test_query_without_matches_has_verdict_nothing_relevant(small: Stack) -> None:
    response = await small.search.Search(search_request("zebra quantum", "HYBRID"))
    assert not response.results
    assert response.verdict == pb.VERDICT_NOTHING_RELEVANT


async def test_a_query_without_indexed_words_skips_the_arm_and_says_why(small: Stack) -> None:
    response = await small.search.Search(search_request("the of and"))
    (arm,) = response.arms
    assert (arm.arm, arm.state) == (pb.SEARCH_ARM_LEXICAL, pb.ArmReport.STATE_SKIPPED)
    assert "no word" in arm.reason


async def test_only_exclusions_find_nothing(small: Stack) -> None:
    assert await contents(small, "-postgresql") == []


async def test_phrase_of_stop_words_is_not_required(small: Stack) -> None:
    assert len(await contents(small, '"the of" postgresql')) == 1


async def test_query_matches_author_and_date_of_a_message(corpus: Corpus) -> None:
    """The message is "Book her.": only its author and its day can match."""
    response = await corpus.search("+Mara +10 +March", page_size=100)
    assert "off-022" in corpus.names(result.memory.id for result in response.results)
