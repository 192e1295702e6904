"""Channel policies: patterns, exceptions from `index: false`, and changes of a policy."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.domain.channels import ChannelPolicies, find_policy
from everword.integrity import rebuild
from everword.integrity.verify import list_namespaces, verify_everything
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_query_service_pb2 as profiles
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from everword.v1 import summary_pb2 as summary
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.calendar_calls import update_settings
from support.calls import message, target
from support.command_line import everword
from support.databases import DatabaseUnderTest
from support.echo_model import derive
from support.refusals import refused
from support.stack import Stack, running_stack
from support.transfer_namespace import export, import_file

KEPT_OUT = admin.ChannelPolicy()
LINES = [
    "I live in Zanzibrook.",
    "I work at Vexatronix as a welder.",
    *(f"The meadow of Rivenbeck has {n} brown cows and {n} old gates." for n in range(2, 12)),
]
WORD = "Rivenbeck"


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database, embedder=False) as stack:
        yield stack


async def say(stack: Stack, channel: str, *texts: str, session: str = "s") -> str:
    request = ingest.AppendMessagesRequest(
        conversation=target(session, channel=channel, subject="emi"),
        messages=[message(text) for text in texts],
    )
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def work_off(stack: Stack) -> None:
    await derive(stack, None, ExtractiveComposer())


async def kinds_found(stack: Stack, query: str = WORD) -> set[str]:
    """Return the kinds of the memories that a search finds with the query in them."""
    found = await stack.search.Search(search.SearchRequest(query=query, page_size=100))
    return {
        memory.MemoryKind.Name(each.memory.kind).removeprefix("MEMORY_KIND_").lower()
        for each in found.results
        if query.lower() in each.memory.content.lower()
    }


async def facts_of(stack: Stack) -> dict[str, str]:
    listed = await stack.fact_queries.ListFacts(profiles.ListFactsRequest(subjects=["emi"]))
    return {fact.attribute: fact.value for fact in listed.facts}


async def test_unindexed_conversation_is_summarised_only_for_itself(
    stack: Stack,
) -> None:
    await update_settings(stack, channel_policies={"discord/*": KEPT_OUT})
    own = await say(stack, "discord/general", *LINES)
    await work_off(stack)
    of_own = search.ListSummariesRequest(filter=summary.SummaryFilter(conversation_id=own))
    listed = (await stack.search.ListSummaries(of_own)).summaries
    assert any(WORD in each.content for each in listed)
    everywhere = await stack.search.ListSummaries(search.ListSummariesRequest())
    assert not everywhere.summaries
    built = await stack.context.BuildContext(
        context.BuildContextRequest(query="Hello", conversation_id=own, max_recent_turns=1)
    )
    history = next(
        each for each in built.blocks if each.source == context.CONTEXT_SOURCE_CHAT_HISTORY
    )
    kinds = {each.memory.kind for each in history.items if WORD in each.text}
    assert memory.MEMORY_KIND_SUMMARY in kinds
    messages = await stack.search.ListMessages(search.ListMessagesRequest(conversation_id=own))
    assert len(messages.messages) == len(LINES)
    # Otherwise its title would be its first words.
    found = await stack.search.GetConversation(search.GetConversationRequest(conversation_id=own))
    assert found.conversation.details.title == ""


async def test_learn_summarize_and_index_exceptions_publish_one_kind_each(stack: Stack) -> None:
    policies = {
        "learned": admin.ChannelPolicy(learn=True),
        "summed": admin.ChannelPolicy(summarize=True),
        "indexed": admin.ChannelPolicy(index=True, learn=False, summarize=False),
    }
    await update_settings(stack, channel_policies=policies)
    await say(stack, "learned", "I live in Zanzibrook.", session="a")
    await work_off(stack)
    assert (await facts_of(stack))["residence"] == "Zanzibrook"
    assert await kinds_found(stack, "Zanzibrook") == {"fact"}
    await say(stack, "summed", *LINES[1:], session="b")
    await work_off(stack)
    assert await kinds_found(stack) == {"summary"}
    assert "employer" not in await facts_of(stack)
    marked = [f"{line} Called Quendelheim." for line in LINES]
    await say(stack, "indexed", *marked, session="c")
    await work_off(stack)
    assert await kinds_found(stack, "Quendelheim") == {"message"}
    assert "employer" not in await facts_of(stack)


async def test_policy_of_exact_name_overrides_pattern(stack: Stack) -> None:
    allowed = admin.ChannelPolicy(index=True, roll_up=True)
    await update_settings(stack, channel_policies={"discord/*": KEPT_OUT, "discord/open": allowed})
    await say(stack, "discord/open", *LINES, session="a")
    await say(stack, "discord/closed", *(f"{line} Quendelheim." for line in LINES), session="b")
    await say(stack, "discord", "Quixoterium is near.", session="c")
    await work_off(stack)
    assert await kinds_found(stack) >= {"message", "summary"}
    assert await kinds_found(stack, "Quendelheim") == set()
    assert await kinds_found(stack, "Quixoterium") >= {"message"}


async def test_database_and_services_agree_on_the_policy_of_a_channel(stack: Stack) -> None:
    policies = {
        "": {"index": True, "summarize": False},
        "*": {"index": False},
        "a": {"index": True},
        "a*": {"index": False, "summarize": True},
        "a/*": {"index": True, "summarize": False},
        "a/b/*": {},
        "%_*": {"index": True},
        "ß*": {"learn": True},
    }
    channels = [
        "",
        "a",
        "ab",
        "a/",
        "a/b",
        "a/b/",
        "a/b/c",
        "b",
        "%",
        "%_x",
        "%xx",
        "ßa",
        "*",
        "a*",
    ]
    with stack.database.connect() as conn:
        for given in (policies, {k: v for k, v in policies.items() if k != "*"}, {}):
            found = conn.execute(
                "SELECT c, everword.channel_policy(p, c), everword.publishes_summaries(p, c)"
                "  FROM unnest(%s::text[]) AS c, to_jsonb(%s::json) AS p",
                [channels, json.dumps(given)],
            ).fetchall()
            assert found == [
                (each, find_policy(given, each), ChannelPolicies(given).summarizes(each))
                for each in channels
            ]


@pytest.mark.parametrize("name", ["dis*cord", "*discord", "**", "discord/*/general"])
async def test_pattern_with_a_star_before_its_end_is_refused(stack: Stack, name: str) -> None:
    refusal = await refused(
        stack.admin.UpdateNamespace(
            admin.UpdateNamespaceRequest(
                namespace=admin.Namespace(
                    name="default",
                    settings=admin.NamespaceSettings(channel_policies={name: KEPT_OUT}),
                ),
                update_mask=FieldMask(paths=["settings.channel_policies"]),
            )
        )
    )
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.fields == {"namespace.settings.channel_policies"}


async def test_channel_policies_are_returned_exported_and_imported(stack: Stack) -> None:
    policies = {
        "discord/*": KEPT_OUT,
        "mail": admin.ChannelPolicy(index=True, untrusted=True, learn=False),
        "notes": admin.ChannelPolicy(learn=True, summarize=False),
    }
    await update_settings(stack, channel_policies=policies)
    await say(stack, "discord/general", *LINES)
    await work_off(stack)
    put = await import_file(stack, "copy", await export(stack, "default"))
    assert put.consistency_token
    for name in ("default", "copy"):
        found = await stack.admin.GetNamespace(admin.GetNamespaceRequest(name=name))
        assert dict(found.namespace.settings.channel_policies) == policies
    asked = search.SearchRequest(query=WORD)
    metadata = (("everword-namespace", "copy"),)
    assert not (await stack.search.Search(asked, metadata=metadata)).results


async def test_cli_sets_and_shows_channel_policies(stack: Stack) -> None:
    made = await everword(
        stack,
        *("namespaces", "update", "default", "--channel-policy", "discord/*="),
        *("--channel-policy", "slack=index,roll_up,no_learn"),
    )
    assert made.status == 0, made.errors
    shown = (await everword(stack, "namespaces", "get", "default")).output
    assert "discord/*=\n" in shown.replace(" ", "")
    assert "slack=index,roll_up,no_learn" in shown
    wrong = await everword(
        stack, "namespaces", "update", "default", "--channel-policy", "slack=no_index"
    )
    assert wrong.status == 2
    assert "no_summarize" in wrong.errors


async def test_rebuild_and_verify_keep_unindexed_conversation_unindexed(stack: Stack) -> None:
    await update_settings(stack, channel_policies={"discord/*": KEPT_OUT})
    await say(stack, "discord/general", *LINES)
    await say(stack, "cli", *LINES[:1], session="other")
    await work_off(stack)
    assert list(verify_everything(stack.database.admin_url)) == []
    with rebuild.connect(stack.database.admin_url) as conn:
        [default] = [each for each in list_namespaces(conn) if each.name == "default"]
        rebuild.Rebuilder(conn, default).rebuild()
    assert await kinds_found(stack) == set()
    assert list(verify_everything(stack.database.admin_url)) == []


async def test_closing_a_channel_excludes_only_later_messages(stack: Stack) -> None:
    await say(stack, "discord", *LINES)
    await work_off(stack)
    before = await facts_of(stack)
    await update_settings(stack, channel_policies={"discord": KEPT_OUT})
    await say(stack, "discord", *(f"{line} Quendelheim." for line in LINES), "I love plinthball.")
    await work_off(stack)
    assert await kinds_found(stack, "Quendelheim") == set()
    assert await facts_of(stack) == before
    # Earlier messages stay searchable until their conversation is erased.
    assert "message" in await kinds_found(stack)
    assert list(verify_everything(stack.database.admin_url)) == []


async def test_opening_a_channel_learns_only_from_later_messages(stack: Stack) -> None:
    await update_settings(stack, channel_policies={"discord": KEPT_OUT})
    await say(stack, "discord", *LINES)
    await work_off(stack)
    await update_settings(stack, channel_policies={})
    await say(stack, "discord", "I am allergic to snorpberries.")
    await work_off(stack)
    assert set((await facts_of(stack)).values()) == {"snorpberries"}
    assert await kinds_found(stack) == set()
    assert "message" in await kinds_found(stack, "snorpberries")
