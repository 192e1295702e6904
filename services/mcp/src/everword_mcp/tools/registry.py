"""The sets of tools, by name."""

from __future__ import annotations

from everword_mcp.tools import memory, notes
from everword_mcp.tools.conversation import CONVERSATION
from everword_mcp.tools.documents import DOCUMENTS
from everword_mcp.tools.graph import GRAPH
from everword_mcp.tools.handoff import ADVISOR, CALLER
from everword_mcp.tools.model import ToolSet

#: A tool of several sets is offered once.
SETS = {
    "memory": ToolSet(
        (*memory.TOOLS, notes.WRITE),
        "Write down with memory_write what will be worth knowing later.",
    ),
    "notes": ToolSet(notes.TOOLS),
    "handoff": CALLER,
    "advisor": ADVISOR,
    "documents": DOCUMENTS,
    "graph": GRAPH,
    "conversation": CONVERSATION,
}
#: Few on purpose: each tool costs a model tokens and choices on every turn.
DEFAULT_SETS = ("memory",)
