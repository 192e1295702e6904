"""Derived memories contain no credentials, and sent messages stay unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from everword.text.credentials import MARK
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as context
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composer
from support.calendar_calls import update_settings
from support.calls import append, message
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.databases import DatabaseUnderTest
from support.document_calls import write
from support.planted_credentials import PLANTED
from support.scripted_chat import Body, Reply, ScriptedChat, answer, user_text
from support.stack import Stack, running_stack
from support.tool_calls import chat_settings, stored_sentences, tool_call, write_pending_sentences

SECRETS = [planted.secret for planted in PLANTED]
BEARER = next(planted for planted in PLANTED if planted.name == "bearer")
WIFI = "The wifi password is Sommer2026! and the network is Guest."
YESTERDAY = datetime.now(UTC) - timedelta(days=1)


def held(texts: Sequence[str]) -> list[str]:
    """Return the credentials contained in texts."""
    return [secret for secret in SECRETS if any(secret in text for text in texts)]


async def tell_all(stack: Stack) -> str:
    """Append every planted credential yesterday, in a conversation of its own; return its id."""
    batch = [message(planted.text, create_time=YESTERDAY) for planted in PLANTED]
    return (await append(stack, *batch)).conversation_id


def summaries(stack: Stack) -> list[str]:
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT title || ' ' || content FROM summaries").fetchall()
    return [str(text) for (text,) in rows]


async def sum_up(stack: Stack, composer: Composer) -> list[str]:
    await compact_everything(stack, composer)
    await roll_up_everything(stack, composer)
    return summaries(stack)


async def test_summaries_contain_no_credentials_of_their_sources(stack: Stack) -> None:
    await tell_all(stack)
    made = await sum_up(stack, ExtractiveComposer())
    assert len(made) >= len(PLANTED) // 10 + 1
    assert any(MARK in text for text in made)
    assert held(made) == []
    found = await stack.maintenance.AuditSummaries(maintenance.AuditSummariesRequest())
    assert (found.audited, list(found.findings)) == (len(made), [])


async def test_composer_receives_no_credentials(stack: Stack) -> None:
    await tell_all(stack)
    composer = ScriptedComposer()
    assert held(await sum_up(stack, composer)) == []
    assert held([source.text for draft in composer.drafts for source in draft.sources]) == []


async def test_namespace_with_policy_keep_does_not_mask_credentials(stack: Stack) -> None:
    await update_settings(stack, credentials=admin.CREDENTIAL_POLICY_KEEP)
    await tell_all(stack)
    assert len(held(await sum_up(stack, ExtractiveComposer()))) >= 3
    built = await stack.context.BuildContext(context.BuildContextRequest(query="wifi password"))
    assert "Sommer2026!" in built.text


async def test_summaries_are_rewritten_masked_after_the_policy_changes(stack: Stack) -> None:
    await update_settings(stack, credentials=admin.CREDENTIAL_POLICY_KEEP)
    await tell_all(stack)

    class Older(ExtractiveComposer):
        def prompt_version(self, level: object) -> int:
            return 1

    await compact_everything(stack, Older())
    with stack.database.connect() as conn:
        conn.execute("UPDATE summaries SET prompt_version = 1")
    assert held(summaries(stack))
    await update_settings(stack, credentials=admin.CREDENTIAL_POLICY_MASK)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET state = 'pending', attempts = 0 WHERE task = 'compact'")
    await compact_everything(stack, ExtractiveComposer())
    assert held(summaries(stack)) == []


async def test_derived_title_masks_credentials_and_a_given_title_stays(
    stack: Stack,
) -> None:
    id_ = (await append(stack, message(WIFI))).conversation_id
    found = await stack.search.GetConversation(pb.GetConversationRequest(conversation_id=id_))
    assert (
        found.conversation.details.title == f"The wifi password is {MARK} and the network is Guest."
    )
    long = f"{'word ' * 14}Authorization: Bearer {BEARER.secret} and so on"
    id_ = (await append(stack, message(long), session_key="long")).conversation_id
    found = await stack.search.GetConversation(pb.GetConversationRequest(conversation_id=id_))
    assert BEARER.secret[:8] not in found.conversation.details.title


async def test_messages_and_search_results_keep_credentials_unmasked(stack: Stack) -> None:
    sent = await append(stack, message(WIFI))
    listed = await stack.search.ListMessages(
        pb.ListMessagesRequest(conversation_id=sent.conversation_id)
    )
    assert [each.body.content for each in listed.messages] == [WIFI]
    [found] = (await stack.search.Search(pb.SearchRequest(query="Sommer2026!"))).results
    assert found.memory.content == WIFI
    memory_id = sent.messages[0].message_id
    got = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=memory_id))
    assert got.memory.content == WIFI


async def test_context_masks_credentials_and_counts_tokens_of_the_masked_text(stack: Stack) -> None:
    old = message(WIFI, token_count=500)
    new = message(f"{BEARER.text}, please", token_count=500)
    await append(stack, old, session_key="before")
    id_ = (await append(stack, new)).conversation_id
    request = context.BuildContextRequest(conversation_id=id_, query="wifi password")
    built = await stack.context.BuildContext(request)
    texts = [built.text, *(item.text for block in built.blocks for item in block.items)]
    assert held(texts) == []
    assert built.text.count(MARK) == 2
    # The caller's token count of the message does not apply to the masked text.
    assert built.token_count < 200


async def test_context_masks_credentials_in_older_derived_text(stack: Stack) -> None:
    id_ = (
        await append(stack, *(message(f"Something else {n}.") for n in range(20)))
    ).conversation_id
    await compact_everything(stack, ScriptedComposer())
    with stack.database.connect() as conn:
        conn.execute("UPDATE summaries SET content = %s", [WIFI])
        conn.execute("UPDATE memories SET content = %s WHERE kind = 2", [WIFI])
    flush = maintenance.FlushConversationRequest(
        conversation_id=id_, context_size=10, used_tokens=10, notes_saved=True, keep_recent=0
    )
    replaced = await stack.maintenance.FlushConversation(flush, timeout=30)
    assert replaced.summaries
    assert held([summary.content for summary in replaced.summaries]) == []
    built = await stack.context.BuildContext(context.BuildContextRequest(query="something else"))
    assert "wifi" in built.text
    assert held([built.text]) == []


async def test_flush_instruction_says_not_to_save_credentials(stack: Stack) -> None:
    id_ = (await append(stack, message("Hello."))).conversation_id
    request = maintenance.FlushConversationRequest(
        conversation_id=id_, context_size=10, used_tokens=10
    )
    told = await stack.maintenance.FlushConversation(request)
    assert "Never save passwords, keys, tokens or other credentials" in told.instruction


def curl() -> memory_pb2.NewMessage:
    arguments = json.dumps({"command": BEARER.text})
    return tool_call(
        name="bash", tool_args=arguments, tool_result=f'{{"token": "{BEARER.secret}"}}'
    )


async def test_template_sentence_masks_credentials(stack: Stack) -> None:
    await append(stack, curl())
    await write_pending_sentences(stack)
    [(sentence, _)] = stored_sentences(stack.database).values()
    assert MARK in sentence
    assert held([sentence]) == []


def copied(request: Body) -> Reply:
    """Answer with the text after `Bearer` in the call."""
    secret = user_text(request).partition("Bearer ")[2].partition("'")[0]
    return answer({"sentence": f"Fetched the API with “{secret}”."})


async def test_model_receives_no_credentials_for_sentences(database: DatabaseUnderTest) -> None:
    with ScriptedChat(copied).running() as server:
        async with running_stack(database, chat=chat_settings(server), embedder=False) as stack:
            await append(stack, curl())
            await write_pending_sentences(stack, server)
            [(sentence, _)] = stored_sentences(stack.database).values()
            assert sentence == f"Fetched the API with “{MARK}”."
            assert held([user_text(request) for request in server.requests]) == []


async def test_answer_and_its_prompt_mask_credentials(database: DatabaseUnderTest) -> None:
    def echo(request: Body) -> Reply:
        lines = user_text(request).splitlines()
        return answer(
            json.loads(next(line for line in lines if line.startswith("{")))["text"] + " [1]"
        )

    with ScriptedChat(echo).running() as server:
        async with running_stack(database, chat=chat_settings(server), embedder=False) as stack:
            await append(stack, message(WIFI))
            await write(stack, "Ask Emi for the wifi password.", WIFI)
            reply = await stack.search.Answer(pb.AnswerRequest(query=f"Is it so? {WIFI}"))
            shown = user_text(server.requests[0])
            assert "Ask Emi" in shown
            assert shown.count(MARK) == 3
            assert MARK in reply.answer
            assert held([reply.answer, *(user_text(request) for request in server.requests)]) == []
