"""`everword get` and `answer`, and what a list shows for the command that comes next."""

from __future__ import annotations

import pytest

from everword.chat.settings import ChatSettings
from support.calendar_calls import said
from support.calls import TOOL, append_request, message, target
from support.command_line import CommandResult, everword
from support.compaction import compact_everything
from support.databases import DatabaseUnderTest
from support.scripted_chat import ScriptedChat, answer
from support.stack import Stack, running_stack
from support.summaries import listed

KEY = "thread/2026-orders-db-migration"
OF = ("--agent", "atlas-of-the-north", "--channel", "discord/#backend-operations")
#: The default width of a terminal.
NARROW = {"COLUMNS": "80"}


async def store_thread(stack: Stack) -> tuple[str, list[str]]:
    """Store a conversation with long names, and summarise it; return its id and those of its messages."""
    texts = [f"Message {n}: the cutover of orders-db moves to {n + 1} May." for n in range(20)]
    request = append_request(
        *(
            said("2026-04-17T12:00", text, author="Jonas Weber-Lindqvist", external_id=f"evt-{n}")
            for n, text in enumerate(texts)
        ),
        message("", role=TOOL, tool_name="ls", tool_args="-R /srv", tool_result="E42 " * 10_000),
    )
    request.conversation.CopyFrom(
        target(
            KEY,
            agent="atlas-of-the-north",
            channel="discord/#backend-operations",
            client_session_id="tab-7",
            title="The cutover of the orders database, and all that came of it in the end",
        )
    )
    stored = await stack.ingest.AppendMessages(request)
    await compact_everything(stack)
    return stored.conversation_id, [entry.message_id for entry in stored.messages]


def fits(done: CommandResult) -> bool:
    assert done.status == 0, done.errors
    return all(len(row.rstrip()) <= 80 for row in done.output.splitlines())


async def test_lists_print_usable_ids_on_narrow_terminal(stack: Stack) -> None:
    conversation, ids = await store_thread(stack)
    shown = await everword(stack, "conversations", "--client-session", "tab-7", **NARROW)
    assert fits(shown)
    assert shown.output.count(conversation) == 1
    assert (await everword(stack, "conversations", "--client-session", "x")).output == "none\n"
    for command in (("browse", "--kind", "message"), ("search", "cutover to 7 May")):
        found = await everword(stack, *command, "--limit", "30", **NARROW)
        assert fits(found)
        assert "Jonas Weber-Lindqvist: Message 6" in found.output
        assert ids[6] in found.output.split()
    summaries = await everword(stack, "summaries", "list", **NARROW)
    assert fits(summaries)
    for each in await listed(stack):
        assert f"…{each.id[-8:]}" in summaries.output.split()
    for other in ("stats", "queue-status", "compaction-status", "keys list", "namespaces list"):
        assert fits(await everword(stack, *other.split(), **NARROW)), other


async def test_get_prints_stored_items_by_id_and_by_name(stack: Stack) -> None:
    conversation, ids = await store_thread(stack)
    memory = await everword(stack, "get", "memory", ids[6], **NARROW)
    assert fits(memory)
    for part in (ids[6], conversation, "evt-6", "atlas-of-the-north", "moves to 7 May."):
        assert part in memory.output
    place = ("--external-id", "evt-6", "--conversation")
    by_key = await everword(stack, "get", "message", *place, KEY, *OF, "--json")
    by_id = await everword(stack, "get", "message", *place, conversation, "--json")
    assert by_key.json() == by_id.json()
    assert (by_id.json()["id"], by_id.json()["seq"]) == (ids[6], 7)
    call = (await everword(stack, "get", "message", ids[20], **NARROW)).output
    assert "-R /srv" in call
    assert call.count("E42") == 10_000
    tools = await everword(stack, "get", "memory", ids[20], **NARROW)
    assert "untrusted" in tools.output
    for named in ((conversation,), (KEY, *OF)):
        shown = await everword(stack, "get", "conversation", *named, **NARROW)
        assert fits(shown)
        assert "tab-7" in shown.output
    (leaf, *_) = await listed(stack)
    for named in ((leaf.id,), (leaf.id[-8:],)):
        assert leaf.id in (await everword(stack, "get", "summary", *named)).output
    as_json = (await everword(stack, "get", "memory", leaf.id, "--json")).json()
    assert as_json["summary"]["message_count"] == leaf.message_count


async def test_get_reports_missing_conversation_and_arguments(stack: Stack) -> None:
    gone = await everword(stack, "get", "conversation", "nothere")
    assert (gone.status, gone.output) == (1, "")
    assert "CONVERSATION_NOT_FOUND" in gone.errors
    for arguments in ((), ("--external-id", "x"), ("--conversation", "s")):
        wrong = await everword(stack, "get", "message", *arguments)
        assert wrong.status == 2
        assert "MESSAGE_ID, or both" in wrong.errors


@pytest.mark.parametrize("is_configured", [False, True])
async def test_answer_prints_citations_or_required_settings(
    database: DatabaseUnderTest, is_configured: bool
) -> None:
    with ScriptedChat().running() as server:
        chat = ChatSettings(server.url, server.model) if is_configured else None
        async with running_stack(database, chat=chat, embedder=False) as stack:
            _, ids = await store_thread(stack)
            server.script.append(answer("On 7 May [1]."))
            done = await everword(stack, "answer", "cutover Message 6 moves to", **NARROW)
    if not is_configured:
        assert done.status == 1
        assert "set EVERWORD_CHAT_URL and EVERWORD_CHAT_MODEL" in done.errors
        return
    assert fits(done)
    assert "On 7 May [1]." in done.output
    assert set(ids) & set(done.output.split())
