"""No facts are learned from pasted text, and search ranks it after its original."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everword.v1 import context_service_pb2 as context
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from support.calls import message, target
from support.learning import learn, told
from support.sleep_calls import Mind, observing, sleep
from support.stack import Stack

#: No facts about the author are learned from these.
PASTED: tuple[str, ...] = (
    "Fred: I live in Rome.",
    "[10:02] Ana: I live in Rome",
    "Asking for a friend: I am allergic to penicillin",
    "I am allergic to penicillin. Asking for a friend.",
    "Relevant context recalled from previous sessions:\n- I live in Berlin\n- I work at Acme",
    "From: Ana <ana@example.com>\nTo: Emi\nSubject: Moving\n\nI live in Rome. I work at Acme.",
    "> I live in Rome\n> I work at Acme",
    "On Mon, 3 Mar 2025 at 10:02, Ana <ana@example.com> wrote:\n> I live in Rome",
    "On Mon, 3 Mar 2025 at 10:02, Ana <ana@example.com> wrote:\n\nI live in Rome.\n\nI work at Acme.",
    # Chats as they are exported or copied.
    "12/03/2024, 10:02 - Ana: I live in Rome\n12/03/2024, 10:03 - Fred: I work at Acme",
    "[12.03.24, 10:02:11] Ana Silva: I live in Rome",
    "[10:02, 3/12/2024] Ana Silva: I live in Rome",
    "Ana Silva  10:02 AM\nI live in Rome",
    "Ana — Today at 10:02 AM\nI live in Rome\nand I work at Acme",
    "Ana Silva, [12.03.24 10:02]\nI live in Rome",
    "<ana> I live in Rome",
    "10:02 <ana> I live in Rome",
    "ana: i live in rome",
    "Ana: hi\nFred: hello\n\nAna: I live in Rome now\nand I work at Acme\n\nFred: ok",
    "User: I live in Rome\nAssistant: Nice!",
    "Speaker 1: I live in Rome.\nSpeaker 2: I work at Acme.",
    "INTERVIEWER: Where do you live?\nMARIA: I live in Rome.",
    "cool_cat42: I live in Rome",
    "**Ana:** I live in Rome",
    "My sister Ana: I live in Rome",
    # Mails in other languages.
    "Von: Ana\nGesendet: Montag\nAn: Emi\nBetreff: Umzug\n\nI live in Rome.",
    "De : Ana\nEnvoyé : lundi\nÀ : Emi\nObjet : Rome\n\nI live in Rome.",
    "Am 03.03.2025 um 10:02 schrieb Ana:\nI live in Rome",
    "Le lun. 3 mars 2025 à 10:02, Ana <ana@example.com> a écrit :\nI live in Rome",
    "-----Original Message-----\nI live in Rome",
    "Begin forwarded message:\n\nI live in Rome",
    # Introductions.
    "He said: I live in Rome. I work at Acme.",
    "My friend wrote me: I live in Rome. I work at Acme.",
    "Here is what Ana wrote:\n\nI live in Rome. I work at Acme.",
    "Please translate this message from my landlord: I live in Rome",
    "Transcript:\nI live in Rome",
    "Lyrics:\nI live in Rome",
    # Marks and markup.
    "“I live in Rome\nand I work at Acme”",
    "„I live in Rome“",
    '{"author": "ana", "text": "I live in Rome"}',
    '[\n  {\n    "text": "I live in Rome"\n  }\n]',
    '<message from="ana">I live in Rome</message>',
    "```\nI live in Rome\n```",
    "*walks in* I live in Rome",
    "[3; untrusted] Ana: I live in Rome\n  I work at Acme",
    # In several paragraphs.
    "[3; untrusted] Ana: I love chess.\n  \n  I work at Acme as a fitter.",
    "[10:02, 3/12/2024] Ana: Hi!\n\nI live in Rome",
    "Ana wrote me:\n\nHi Emi!\n\nI live in Rome.",
    "[2026-11-24 16:23] Ana (user):\nI live in Rome.\n\nI work at Acme as a fitter.",
    # A name beside a time, mails with one header, introductions and markup.
    "Ana 10:02\nI live in Rome",
    "ana#1234: I live in Rome",
    "From: Ana\nI live in Rome",
    "FW: moving\nI live in Rome",
    "My cousin just sent me this: I live in Rome.",
    "This is for a friend: I'm allergic to walnuts, what can I eat?",
    "`I live in Rome`",
    "name,text\nana,I live in Rome",
)

#: Messages with the attribute and the value that are learned from them.
OWN: tuple[tuple[str, str, str], ...] = (
    ("Note: I live in Rome", "residence", "rome"),
    ("Update: I moved to Berlin", "residence", "berlin"),
    ("P.S.: I'm vegetarian", "diet", "vegetarian"),
    ("Hi Fred, I live in Rome", "residence", "rome"),
    ("Hi Fred: I live in Rome", "residence", "rome"),
    ("Fun fact: I live in Rome", "residence", "rome"),
    ("Just to be clear: I live in Rome", "residence", "rome"),
    ("Please save to memory: I live in Rome", "residence", "rome"),
    ("About me:\n- I live in Rome\n- I work at Acme", "employer", "acme"),
    ("2024-03-12: I moved to Rome", "residence", "rome"),
    ("> Where do you live?\n\nI live in Rome", "residence", "rome"),
    (
        "I live in Rome.\n\nOn Mon, 3 Mar 2025 at 10:02, Ana wrote:\n> I work at Acme",
        "residence",
        "rome",
    ),
    ("Fred: I live in Oslo.\n\nThat was Fred. I live in Rome.", "residence", "rome"),
    ("Ana asked where I live. I live in Rome.", "residence", "rome"),
    ("I need help with this:\n```\nprint(1)\n```\nI live in Rome", "residence", "rome"),
    ("I live in Rome — and love it", "residence", "rome"),
    ("Wait: I live in Rome", "residence", "rome"),
    ("Q: I live in Rome. Where can I eat?", "residence", "rome"),
    ("Day 1: I moved to Rome", "residence", "rome"),
    ("Fred - I live in Rome.", "residence", "rome"),
    ("Hi!\n\n    I live in Rome", "residence", "rome"),
)


QUESTION = "flat in Rome"
#: Before the fix, the original ranked last for all but the first question.
QUESTIONS = ("Where does Ana live?", QUESTION, "Who lives near the river?")
ORIGINAL = "I live in a small flat in Rome near the river."
#: Pasted copies by another user, in the formats of chats and mail programs.
PASTES = (
    f"[10:02] Ana: {ORIGINAL}",
    f"Where does Ana live? Ana: {ORIGINAL} Where does Ana live?\nAna: {ORIGINAL}",
    f"> {ORIGINAL}\n\nDoes Ana live in Rome, or where does Ana live?",
    f"From: Ana <ana@example.com>\nSubject: Where Ana lives\n\n{ORIGINAL}",
    f'Look where Ana lives: "{ORIGINAL}"',
)
MODES = (search.SEARCH_MODE_HYBRID, search.SEARCH_MODE_LEXICAL)


async def _say(
    stack: Stack, session: str, text: str, author: str, hours: int = 0, subject: str = ""
) -> ingest.AppendMessagesResponse:
    """Append a message of yesterday; `number` is its hour."""
    when = datetime.now(UTC) - timedelta(hours=48 - hours)
    request = ingest.AppendMessagesRequest(
        conversation=target(session, subject=subject),
        messages=[message(text, author=author, create_time=when)],
    )
    return await stack.ingest.AppendMessages(request)


async def test_no_facts_about_the_author_are_learned_from_pasted_text(stack: Stack) -> None:
    for number, text in enumerate(PASTED):
        await _say(stack, f"s{number}", text, f"Emi {number}")
    await learn(stack)
    learned = {}
    for number, text in enumerate(PASTED):
        if known := await told(stack, f"Emi {number}"):
            learned[text] = known
    assert learned == {}


async def test_facts_are_learned_from_messages_in_the_authors_own_words(stack: Stack) -> None:
    for number, (text, _, _) in enumerate(OWN):
        await _say(stack, f"s{number}", text, "Emi", subject=f"p{number}")
    await learn(stack)
    missed = []
    for number, (text, attribute, value) in enumerate(OWN):
        if value not in (await told(stack, f"p{number}")).get(attribute, set()):
            missed.append(text)
    assert missed == []


async def test_speaker_label_equal_to_the_author_counts_as_own_words(stack: Stack) -> None:
    await _say(stack, "s", "Ana: I live in Rome.\nFred: I live in Oslo.", "ana")
    await learn(stack)
    assert await told(stack, "ana") == {"residence": {"rome"}}


async def _order(stack: Stack, query: str, mode: Any, page_size: int) -> list[str]:
    """Return the ids of all results in order, page by page."""
    request = search.SearchRequest(query=query, mode=mode, page_size=page_size)
    found: list[str] = []
    while True:
        page = await stack.search.Search(request)
        found += [hit.memory.id for hit in page.results]
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("page_size", [1, 3, 10])
async def test_search_returns_an_original_before_every_paste_of_it(
    stack: Stack, mode: int, page_size: int
) -> None:
    original = await _say(stack, "first", ORIGINAL, "Ana")
    pastes = [
        await _say(stack, f"later {hours}", text, "Fred", hours)
        for hours, text in enumerate(PASTES, start=1)
    ]
    for query in QUESTIONS:
        order = await _order(stack, query, mode, page_size)
        assert len(order) == len(set(order))
        assert {each.messages[0].message_id for each in pastes} <= set(order)
        assert order[0] == original.messages[0].message_id


#: Originals, a pasted copy of each, and a question that finds both.
REPEATED = (
    ("备用发电机放在仓库的西北角。", "王芳：备用发电机放在仓库的西北角。", "备用发电机放在哪里？"),
    (
        "예비 열쇠는 창고의 북쪽 선반에 있습니다.",
        "노라: 예비 열쇠는 창고의 북쪽 선반에 있습니다.",
        "예비 열쇠는 어디에 있나요?",
    ),
    (
        "The vet wants to see the cat again in six weeks.",
        "Fwd: The vet wants to see the cat again in six weeks.",
        "Fwd vet cat again",
    ),
    (
        "The spare fuse box hangs behind the boiler door.",
        "Nora 14:05\nThe spare fuse box hangs behind the boiler door.",
        "Nora 14:05 spare fuse box",
    ),
    (
        "The choir sings in the chapel on the second Sunday.",
        "00:01:02.000 --> 00:01:04.000\nThe choir sings in the chapel on the second Sunday.",
        "When does the choir sing in the chapel?",
    ),
    (
        "The mooring fee of the Lindholm jetty rose to 340 crowns, and boats over ten metres pay double.",
        "Nora: The mooring fee of the Lindholm jetty rose to 340 crowns",
        "mooring fee of the Lindholm jetty",
    ),
)


@pytest.mark.parametrize("mode", MODES)
async def test_search_returns_an_original_before_a_paste_with_any_label(
    stack: Stack, mode: int
) -> None:
    behind = {}
    for number, (text, paste, query) in enumerate(REPEATED):
        original = await _say(stack, f"first {number}", text, "Ana")
        pasted = await _say(stack, f"later {number}", paste, "Fred", 1)
        order = await _order(stack, query, mode, 10)
        found = [each.messages[0].message_id for each in (original, pasted)]
        places = [order.index(each) for each in found if each in order]
        if found[0] not in order or places != sorted(places):
            behind[paste] = places
    assert behind == {}


async def _context(
    stack: Stack, query: str = QUESTION, conversation_id: str = "", **fields: Any
) -> context.BuildContextResponse:
    request = context.BuildContextRequest(
        query=query,
        conversation_id=conversation_id,
        scope=context.CONTEXT_SCOPE_NAMESPACE,
        **fields,
    )
    return await stack.context.BuildContext(request)


def _texts(response: context.BuildContextResponse) -> Sequence[str]:
    return [item.text for block in response.blocks for item in block.items]


@pytest.mark.parametrize("form", [context.CONTEXT_FORMAT_TEXT, context.CONTEXT_FORMAT_JSON_LINES])
async def test_pasted_context_block_yields_no_facts_and_ranks_after_its_original(
    stack: Stack, form: int
) -> None:
    original = await _say(stack, "first", ORIGINAL, "Ana", subject="ana")
    await _say(stack, "first", "I work at Acme. I am allergic to peanuts.", "Ana", 1, "ana")
    await learn(stack)
    known = await told(stack, "ana")
    assert known
    built = await _context(stack, conversation_id=original.conversation_id, format=form)
    assert ORIGINAL in built.text
    pasted = await _say(stack, "second", f"{built.text}", "Fred", 5)
    await _say(stack, "third", f"Relevant context:\n{built.text}", "Ana", 6, "ana")
    await learn(stack)
    assert await told(stack, "Fred") == {}
    assert await told(stack, "ana") == known
    order = await _order(stack, QUESTION, search.SEARCH_MODE_HYBRID, 10)
    places = [order.index(each.messages[0].message_id) for each in (original, pasted)]
    assert places == sorted(places)
    # The original is in a context although the paste is a turn of the conversation.
    held = await _context(stack, conversation_id=pasted.conversation_id)
    ids = [item.memory_id for block in held.blocks for item in block.items]
    assert original.messages[0].message_id in ids
    assert ids.index(original.messages[0].message_id) < ids.index(pasted.messages[0].message_id)


async def test_context_scores_original_above_its_pastes(stack: Stack) -> None:
    original = await _say(stack, "first", ORIGINAL, "Ana")
    for hours, text in enumerate(PASTES, start=1):
        await _say(stack, f"later {hours}", text, "Fred", hours)
    items = [item for block in (await _context(stack)).blocks for item in block.items]
    ranked = sorted(items, key=lambda item: -item.score)
    assert ranked[0].memory_id == original.messages[0].message_id


async def test_sleep_sends_no_pasted_text_to_the_model(stack: Stack) -> None:
    text = "I live in Oslo.\n\nFred: I live in Rome.\nAna: I live in Porto."
    await _say(stack, "s", text, "Emi")
    mind = Mind(
        {
            "sleep-observe": observing(
                ("I live in Oslo", "residence", "Oslo"), ("I live in Rome", "residence", "Rome")
            )
        }
    )
    await sleep(stack, mind)
    read = json.dumps([records for _, records in mind.asked])
    assert "I live in Oslo" in read
    assert "Rome" not in read
    assert "Porto" not in read
    assert (await told(stack, "Emi")).get("residence") == {"oslo"}
