"""`everword lore`, for people and for programs, as docs/lore.md shows it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from support.command_line import everword
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "lore.md").read_text(encoding="utf-8")


async def test_commands_of_lore_page_work_as_documented(stack: Stack) -> None:
    [block] = re.findall(r"```\n(everword lore add .*?)```", PAGE, re.DOTALL)
    outputs = []
    for command in (shlex.split(line)[1:] for line in block.splitlines()):
        finished = await everword(stack, *command)
        assert finished.status == 0, finished.errors
        outputs.append(finished.output)
    first, second, tried, books, entries, found, deleted = outputs
    assert (first, second) == ("westmark: The Westmark\n", "westmark: Duke Anselm\n")
    [anselm] = [line for line in tried.splitlines() if "Duke Anselm" in line and "sticky" in line]
    assert "the (old )?duke (regex), 2 more turns" in anselm
    [west] = [line for line in tried.splitlines() if line.strip().startswith("The Westmark")]
    assert "recursion, Westmark (word), in Duke Anselm" in west
    assert re.search(r"westmark +all +2", books)
    assert "anselm, the (old )?duke (regex)" in entries
    assert "at war with its neighbours" in found
    assert deleted == "Duke Anselm: deleted\n"


async def test_lore_import_reads_books_of_other_programs(stack: Stack, tmp_path: Path) -> None:
    world = {
        "entries": {
            "0": {"key": ["dragon"], "comment": "Smaug", "content": "Sleeps on gold.", "order": 7},
            "1": {
                "key": ["/bell(s)?/i"],
                "comment": "Bell",
                "content": "Rings.",
                "selective": True,
                "keysecondary": ["tower"],
            },
        }
    }
    file = tmp_path / "hill.json"
    file.write_text(json.dumps(world))
    command = ("lore", "import", str(file), "--agent", "narrator")
    finished = await everword(stack, *command)
    assert finished.output == "hill: 2 written, 0 unchanged, 0 deleted\n"
    assert finished.errors == "left out: Bell: secondary keys has no counterpart\n"
    again = (await everword(stack, *command, "--json")).json()
    assert (again["written"], again["unchanged"]) == (0, 2)
    tried = ("lore", "test", "BELLS, and a dragon", "--agent", "narrator", "--json")
    matches = (await everword(stack, *tried)).json()["matches"]
    assert [each["title"] for each in matches] == ["Smaug", "Bell"]
    file.write_text("[]")
    refused = await everword(stack, *command)
    assert refused.status == 2
    assert "is not a lorebook" in refused.errors
    deleted = await everword(stack, "lore", "delete", "hill", "--agent", "narrator")
    assert deleted.output == "hill: deleted\n"
    gone = await everword(stack, "lore", "entries", "hill", "--agent", "narrator")
    assert "LORE_BOOK_NOT_FOUND" in gone.errors


async def test_lore_import_reports_unsupported_fields_and_stores_the_rest(
    stack: Stack, tmp_path: Path
) -> None:
    entries: list[object] = [
        {
            "keys": ["harbour"],
            "content": "@@depth 4\n@@activate_only_after 3\nHARBOUR",
            "enabled": True,
        },
        {
            "keys": ["haven", "/haven(?=s)/", "/h[ae]ven/"],
            "content": "HAVEN",
            "extensions": {"group": "sea"},
        },
    ]
    file = tmp_path / "card.json"

    def write() -> None:
        book = {"name": "", "entries": entries}
        file.write_text(
            json.dumps({"spec": "chara_card_v3", "data": {"name": "Mira", "character_book": book}})
        )

    write()
    done = await everword(stack, "lore", "import", str(file))
    assert done.status == 0
    named = [line.removeprefix("left out: ") for line in done.errors.splitlines()]
    assert named[:3] == [
        "harbour: @@depth has no counterpart",
        "harbour: @@activate_only_after has no counterpart",
        "haven: group has no counterpart",
    ]
    assert named[3].startswith("haven: the key '/haven(?=s)/': ")
    found = await everword(stack, "lore", "test", "Where is the hEven? In the harbour.", "--json")
    assert [each["content"] for each in found.json()["matches"]] == ["HARBOUR"]
    found = await everword(stack, "lore", "test", "two heven", "--json")
    assert [each["content"] for each in found.json()["matches"]] == ["HAVEN"]
    # If a malformed entry is skipped, the exit status is 3.
    entries.append("no entry")
    write()
    done = await everword(stack, "lore", "import", str(file), "--json")
    assert done.status == 3
    assert json.loads(done.output)["left_out"] == [*named, "Entry 3: it is not a JSON object"]
    assert json.loads(done.output)["unchanged"] == 2
