"""`everword graph`, for people and for programs, as docs/graph.md shows it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

from support.command_line import everword
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "graph.md").read_text(encoding="utf-8")
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


async def test_commands_of_graph_page_work_as_documented(stack: Stack) -> None:
    [block] = re.findall(r"```\n(everword graph .*?)```", PAGE, re.DOTALL)
    commands = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    outputs = [(await everword(stack, *command)).output for command in commands]
    *_, work, sister, mermaid = outputs
    [promised] = re.findall(r"work\?\" +# (.*)", block)
    assert promised in work
    assert "user —sister of→ Ana" in sister
    assert 'n0["Ana"]' in mermaid
    assert '-->|"works at"| n1' in mermaid


async def test_the_graph_is_listed_and_exported(stack: Stack) -> None:
    hostile = 'Bo "]; click n0 <b>&\x1b[31m'
    made = (await everword(stack, "graph", "node", hostile, "person", "--json")).json()
    id_, label = made["node"]["id"], made["node"]["label"]
    await everword(stack, "graph", "node", "Bob", "person")
    await everword(stack, "graph", "relate", label, "knows", "Bob", "--since", "2024-05-03")
    await everword(stack, "graph", "relate", "Bob", "likes", "Bob", "--until", "2020-01-01")
    assert id_ in (await everword(stack, "graph", "list", "--type", "person")).output
    assert "knows" in (await everword(stack, "graph", "show", id_)).output

    document = json.loads((await everword(stack, "graph", "export", "--format", "json")).output)
    assert [len(document[each]) for each in ("nodes", "edges")] == [2, 1]
    tree = ElementTree.fromstring(
        (await everword(stack, "graph", "export", "--ended")).output.encode()
    )
    assert len(tree.findall(f".//{GRAPHML}node")) == 2
    assert len(tree.findall(f".//{GRAPHML}edge")) == 2
    told = [each.text for each in tree.iter(f"{GRAPHML}data")]
    assert label in told
    mermaid = (await everword(stack, "graph", "export", "--format", "mermaid")).output
    assert len(mermaid.splitlines()) == 4
    assert "]; click" not in mermaid
