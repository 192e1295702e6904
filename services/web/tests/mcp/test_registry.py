"""The sets of tools, and the page that shows them."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import pytest

from everword.adapters.tools.model import Tool
from everword.adapters.tools.registry import DEFAULT_SETS, SETS
from everword.adapters.tools.text import heading
from everword.client.kinds import KINDS
from everword.v1.memory_pb2 import Memory, MemoryKind

PAGE = (Path(__file__).parents[4] / "docs" / "agents.md").read_text(encoding="utf-8")
TOOLS = {tool.name: tool for each in SETS.values() for tool in each.tools}


def test_documentation_page_lists_each_tool_set_and_tool() -> None:
    assert DEFAULT_SETS == ("memory", "facts")
    for name, each in SETS.items():
        [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}`")]
        listed = each.tools[:1] if name == "graph" else each.tools
        assert all(f"`{tool.name}`" in row for tool in listed), name
    assert len(SETS["graph"].tools) == 1 + 7


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_tool_has_a_short_description(tool: Tool) -> None:
    assert 20 < len(tool.description) < 500
    assert not tool.description.startswith(" ")
    assert next(iter(signature(tool.call).parameters)) == "caller"


def test_tools_offer_each_memory_kind() -> None:
    known = {
        name.removeprefix("MEMORY_KIND_").lower() for name in MemoryKind.DESCRIPTOR.values_by_name
    }
    assert set(KINDS) == known - {"unspecified"}


def test_heading_of_a_document_part_has_title_and_headings() -> None:
    part = Memory(document_title="Handbook", headings=["Deploy", "Roll\nback"], id="7")
    assert "Handbook › Deploy › Roll back" in heading(part)
