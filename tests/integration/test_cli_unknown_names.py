"""Commands that change something by an unknown name fail and list similar names."""

from __future__ import annotations

import asyncio

from support.calls import append_request, message, target
from support.command_line import everword
from support.lore import entry, write_book, write_entry
from support.stack import Stack

#: An unused id.
NO_ID = "018f0000-0000-7000-8000-000000000000"
#: Commands, each with a part of its error.
UNKNOWN: dict[str, str] = {
    "namespaces update acmee --time-zone Europe/Zurich": "Did you mean 'acme'?",
    "namespaces delete acmee --yes": "Did you mean 'acme'?",
    "namespaces export ACME": "Did you mean 'acme'?",
    "notes write plan x --namespace defalt": "Did you mean 'default'?",
    "keys create --role read --namespace acmee": "Did you mean 'acme'?",
    f"keys revoke {NO_ID}": "API_KEY_NOT_FOUND",
    f"keys rotate {NO_ID}": "API_KEY_NOT_FOUND",
    "notes delete paln": "Did you mean 'plan'?",
    "notes delete plan --agent kit": "Did you mean 'plan'?",
    "documents delete Handbok": "Did you mean 'Handbook' with --agent kit?",
    "lore delete wrold": "Did you mean 'world'?",
    "lore delete world dragn": "Did you mean 'Dragon'?",
    f"checkpoints save {NO_ID} /etc/hostname": "CONVERSATION_NOT_FOUND",
    f"budget delete {NO_ID}": "BUDGET_NOT_FOUND",
    "retention set note 30d": "'notes'",
    "workspace write SOULS x": "'soul'",
    "sleep treahd-7": "Did you mean 'thread-7' with --agent kit?",
    "sleep --subject Ana": "Did you mean 'ana'?",
    f"compact {NO_ID}": "CONVERSATION_NOT_FOUND",
    "retry-failed --task embd": "Did you mean 'embed'?",
    "retry-failed --error timeout --json": "no failed job matches the error 'timeout'.",
    "erase subject Ana --yes": "Did you mean 'ana'?",
    "erase author bea --yes": "Did you mean 'Bea'?",
    "erase note paln --yes": "Did you mean 'plan'?",
    "erase document handbook --yes": "Did you mean 'Handbook' with --agent kit?",
    "erase conversation thread7 --yes": "Did you mean 'thread-7' with --agent kit?",
    f"erase memory {NO_ID} --yes": "MEMORY_NOT_FOUND",
    f"erase fact {NO_ID} --yes": "FACT_NOT_FOUND",
    "verify acmee": "Did you mean 'acme'?",
    "rebuild acmee": "Did you mean 'acme'?",
    "models drop 77": "there is no model generation 77",
    "models switch 77": "there is no model generation 77",
}
#: Commands that create a missing thing: they succeed, and say that it is new.
MAKING: dict[str, str] = {
    "documents append handbok text": "the document 'handbok' is new. Did you mean 'Handbook'",
    "notes write paln text --append": "the note 'paln' is new. Did you mean 'plan'?",
    "lore add wrold Cave text --key k": "the book 'wrold' is new. Did you mean 'world'?",
}


async def _fill(stack: Stack) -> None:
    """Write things with similar names."""
    said = append_request(message("Hello.", author="Bea"))
    said.conversation.CopyFrom(target("thread-7", subject="ana", agent="kit"))
    await stack.ingest.AppendMessages(said)
    await write_entry(stack, await write_book(stack, "world"), entry("Dragon", "It sleeps.", "k"))
    for command in (
        "namespaces create acme",
        "notes write plan text",
        "documents write Handbook text --agent kit",
    ):
        done = await everword(stack, *command.split())
        assert done.status == 0, done.errors
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE jobs SET state = 'failed', attempts = 5, error = 'no route' WHERE task = 'embed'"
        )


async def test_commands_with_unknown_name_fail_and_suggest_similar_names(stack: Stack) -> None:
    await _fill(stack)
    admin = {"EVERWORD_ADMIN_DATABASE_URL": stack.database.admin_url}
    busy = asyncio.Semaphore(3)

    async def wrong(command: str, said: str, expected: bool) -> str:
        async with busy:
            done = await everword(stack, *command.split(), **admin)
        if (done.status == 0) is not expected or said not in done.errors:
            return f"{command}: {done.status}, {done.output!r}, {done.errors!r}"
        return ""

    calls = [wrong(command, said, False) for command, said in UNKNOWN.items()]
    assert not [each for each in await asyncio.gather(*calls) if each]
    # One after the other: the next command might suggest a name that one creates.
    assert not [found for each in MAKING.items() if (found := await wrong(*each, True))]
