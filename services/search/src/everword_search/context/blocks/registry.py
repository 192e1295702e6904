"""The kinds of blocks in a context other than memories and chat history."""

from __future__ import annotations

from everword_search.context.blocks.documents import DOCUMENTS
from everword_search.context.blocks.graph import GRAPH
from everword_search.context.blocks.identity import IDENTITY
from everword_search.context.blocks.life import LIFE
from everword_search.context.blocks.lorebook import LOREBOOK
from everword_search.context.blocks.model import BlockKind
from everword_search.context.blocks.questions import QUESTIONS
from everword_search.context.blocks.workspace import WORKSPACE

#: In no particular order; `context.model.ORDER` is the order in the prompt.
KINDS: tuple[BlockKind, ...] = (
    WORKSPACE,
    IDENTITY,
    LIFE,
    QUESTIONS,
    LOREBOOK,
    DOCUMENTS,
    GRAPH,
)
#: Maximum share of the budget of all these blocks together while others compete for it. If they need more, blocks
#: later in the prompt get less, but at least their floors.
TOGETHER = 0.5
