"""`everword erase` and `everword erasures`, for people and for programs."""

from __future__ import annotations

from support.calls import append
from support.command_line import everword
from support.erased import rows_with
from support.stack import Stack


async def test_a_person_sees_what_would_go_and_is_asked(stack: Stack) -> None:
    said = await append(stack, "The zqcli8k sings.", "The owl too.")
    message_id = said.messages[0].message_id
    looked = await everword(stack, "erase", "message", message_id, "--dry-run")
    assert looked.status == 0, looked.errors
    assert "messages" in looked.output
    declined = await everword(stack, "erase", "message", message_id, given="n\n")
    assert declined.status != 0
    assert rows_with(stack, "zqcli8k")
    erased = await everword(stack, "erase", "message", message_id, "--by", "Ana", given="y\n")
    assert erased.status == 0, erased.errors
    assert "for good?" in erased.errors
    assert "erased: " in erased.output
    assert rows_with(stack, "zqcli8k") == {}
    listed = await everword(stack, "erasures")
    assert "message" in listed.output
    assert "Ana" in listed.output
    again = await everword(stack, "erase", "message", message_id, "--yes")
    assert again.status != 0
    assert "MESSAGE_NOT_FOUND" in again.errors


async def test_a_program_waits_for_what_is_large_and_reads_json(stack: Stack) -> None:
    said = await append(stack, *(f"The zqlarge8k sings {n}." for n in range(450)))
    command = ("erase", "conversation", said.conversation_id, "--yes", "--json")
    erasure = (await everword(stack, *command)).json()
    assert (erasure["state"], erasure["row_counts"]["messages"]) == ("ERASURE_STATE_DONE", 450)
    assert rows_with(stack, "zqlarge8k") == {}
    [listed] = (await everword(stack, "erasures", "--json")).json()["erasures"]
    assert (listed["id"], listed["kind"]) == (erasure["id"], "ERASURE_KIND_CONVERSATION")
    preview = (await everword(stack, "erase", "subject", "nobody", "--dry-run", "--json")).json()
    assert preview["summaries_withdrawn"] == 0


async def test_what_has_a_name_is_erased_by_it(stack: Stack) -> None:
    await append(stack, "The zqnamed8k sings.", session_key="thread-7")
    await everword(stack, "notes", "write", "plan", "The zqnoted8k is the plan.")
    await everword(stack, "documents", "write", "Handbook", "The zqbook8k is a book.")
    for kind, name in (("note", "plan"), ("document", "Handbook"), ("conversation", "thread-7")):
        erased = await everword(stack, "erase", kind, name, "--yes")
        assert erased.status == 0, erased.errors
    for word in ("zqnamed8k", "zqnoted8k", "zqbook8k"):
        assert rows_with(stack, word) == {}
    missing = await everword(stack, "erase", "note", "no such key", "--yes")
    assert "NOTE_NOT_FOUND" in missing.errors
