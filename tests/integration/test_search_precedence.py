"""Which result comes first: the user's own statement, the original of a recalled memory, one of many similar lines."""

from __future__ import annotations

import pytest

from everword.client import AsyncEverword, Message
from support.background import embed_everything
from support.databases import DatabaseUnderTest
from support.stack import running_stack

pytestmark = pytest.mark.asyncio

STATEMENT = "Blood donor card arrived, I'm AB negative, they were thrilled."
PARAGRAPHS = (
    "Blood types follow from two sets of proteins on red blood cells, ABO and Rh. Group 0 negative can be given to "
    "everybody and is therefore kept in ambulances, while people with AB positive can receive blood of every type. In "
    "central Europe, A positive and 0 positive are the most frequent types.",
    "Your blood type is on your donor card, in the maternity record and often in hospital letters. Doctors never rely "
    "on it: before each transfusion, the type is tested again at the bedside. You may give blood four times a year as "
    "a woman and six times as a man, if your iron is sufficient.",
    "What is known about blood type and health is limited. People with type 0 have a slightly lower risk of heart "
    "attack and thrombosis. Diets by blood type have no scientific basis.",
)
ORIGINAL = "My locker at the gym is number 214, the key is on the green ribbon."
RECALLED = (
    "Things you know about me: the user's locker at the gym is number 214, the key is on the green ribbon; the user "
    "likes rowing. Please write me a packing list for the gym."
)
CAUSE = "The job needs more memory than its container has, since we added the French customers."
REMEDY = "Until Monday, start the nightly report by hand on the big machine with `make report`."
NAMES = ("Herr Müller repaired the dishwasher.", "Herr Muller from Bonn repaired the dishwasher.")


def log_lines(name: str) -> list[str]:
    return [f"{name} nightly report failed after {41 + n} s: exit code {n % 3}" for n in range(10)]


async def test_first_page_has_own_statements_originals_and_different_answers(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_stack(database) as stack:
        for name in ("ingest", "search", "compactor"):
            monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
        async with AsyncEverword(agent="opus") as memory:
            answers = [Message(each, role="assistant") for each in PARAGRAPHS]
            await memory.append("blood", STATEMENT, *answers, subject="ana")
            await memory.append("gym", ORIGINAL, subject="ana")
            await memory.append("later", RECALLED, subject="ana")
            lines = [line for name in ("job", "cron", "task", "run") for line in log_lines(name)]
            await memory.append("log", *lines[:20], CAUSE, *lines[20:], REMEDY, subject="ana")
            await memory.append("repair", *NAMES, subject="ana")
            await embed_everything(stack)

            async def first_page(question: str) -> list[str]:
                return [hit.passage for hit in await memory.search(question)]

            assert (await first_page("What is my blood type?"))[0] == STATEMENT
            # A question about the assistant's words finds these.
            explained = await first_page("What did you tell me about diets by blood type?")
            assert explained[0] != STATEMENT
            places = await first_page("Which number is my locker at the gym?")
            assert places[:2] == [ORIGINAL, RECALLED]
            found = await first_page(
                "Why does the nightly report job fail, and what is the workaround?"
            )
            assert {CAUSE, REMEDY} <= set(found)
            assert {*(await first_page("What did Herr Müller repair?"))[:2]} == {*NAMES}
