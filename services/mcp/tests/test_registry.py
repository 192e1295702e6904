"""The sets of tools, and the page that shows them."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import pytest

from everword_mcp.tools.model import Tool
from everword_mcp.tools.registry import DEFAULT_SETS, SETS

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
TOOLS = {tool.name: tool for each in SETS.values() for tool in each.tools}


def test_the_page_has_each_set_and_tool() -> None:
    assert DEFAULT_SETS == ("memory",)
    for name, each in SETS.items():
        [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}`")]
        listed = each.tools[:1] if name == "graph" else each.tools
        assert all(f"`{tool.name}`" in row for tool in listed), name
    assert len(SETS["graph"].tools) == 1 + 7


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_a_tool_says_what_it_does_in_few_words(tool: Tool) -> None:
    assert 20 < len(tool.description) < 500
    assert not tool.description.startswith(" ")
    assert "context" in signature(tool.call).parameters
