"""`everword erase` and `everword erasures`, for people and for programs."""

from __future__ import annotations

import json

from everword.v1 import erasure_service_pb2 as pb
from support.calls import append, append_request, message, target
from support.command_line import everword
from support.erasure_checks import rows_with
from support.stack import Stack


async def test_erase_shows_preview_and_asks_for_confirmation(stack: Stack) -> None:
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


async def test_erase_waits_for_large_erasure_and_prints_json(stack: Stack) -> None:
    said = await append(stack, *(f"The zqlarge8k sings {n}." for n in range(450)))
    command = ("erase", "conversation", said.conversation_id, "--yes", "--json")
    erasure = (await everword(stack, *command)).json()
    assert (erasure["state"], erasure["row_counts"]["messages"]) == ("ERASURE_STATE_DONE", 450)
    assert rows_with(stack, "zqlarge8k") == {}
    [listed] = (await everword(stack, "erasures", "--json")).json()["erasures"]
    assert (listed["id"], listed["kind"]) == (erasure["id"], "ERASURE_KIND_CONVERSATION")
    unmatched = await everword(stack, "erase", "subject", "nobody", "--dry-run", "--json")
    assert unmatched.status == 1
    assert json.loads(unmatched.output)["matched_rows"] == 0


async def test_erase_accepts_names_of_notes_documents_and_conversations(stack: Stack) -> None:
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


async def test_erase_without_match_fails_and_suggests_similar_names(stack: Stack) -> None:
    said = append_request(message("The zqnobody8k sings.", author="Bea Lind"))
    said.conversation.CopyFrom(target("of ana", subject="ana"))
    await stack.ingest.AppendMessages(said)
    for kind, wrong, right in (("subject", "Ana", "ana"), ("author", "bea lynd", "Bea Lind")):
        for option in ("--yes", "--dry-run"):
            erased = await everword(stack, "erase", kind, wrong, option)
            assert (erased.status, erased.output) == (1, ""), erased.output
            assert f"nothing matches the {kind} {wrong!r}; nothing was erased." in erased.errors
            assert f"Did you mean {right!r}?" in erased.errors
    unlike = await everword(stack, "erase", "subject", "zzzz", "--yes")
    assert unlike.status == 1
    assert "Did you mean" not in unlike.errors
    assert (await everword(stack, "erasures")).output == "none\n"
    # The RPC reports it in its response; with a request id, it is recorded.
    request = pb.EraseRequest(target=pb.ErasureTarget(subject="Ana"))
    assert (await stack.erasures.Erase(request)).erasure.matched_rows == 0
    recorded = await everword(stack, "erase", "subject", "Ana", "--yes", "--request-id", "r1")
    assert recorded.status == 1
    assert "nothing was erased" in recorded.errors
    assert rows_with(stack, "zqnobody8k")


async def test_erase_with_same_request_id_returns_same_erasure(stack: Stack) -> None:
    said = await append(stack, "The zqtwice8k sings.")
    command = ("erase", "message", said.messages[0].message_id, "--yes", "--request-id", "m1")
    first = await everword(stack, *command, "--json")
    assert first.json() == (await everword(stack, *command, "--json")).json()
    # The same request id erases nothing else.
    assert (await everword(stack, *command[:-1], "m2")).status == 1
