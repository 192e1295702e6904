"""The kinds of blocks that a context has beside memories and chat history."""

from __future__ import annotations

from everword_search.context.blocks.documents import DOCUMENTS
from everword_search.context.blocks.graph import GRAPH
from everword_search.context.blocks.identity import IDENTITY
from everword_search.context.blocks.life import LIFE
from everword_search.context.blocks.lorebook import LOREBOOK
from everword_search.context.blocks.model import BlockKind
from everword_search.context.blocks.questions import QUESTIONS
from everword_search.context.blocks.workspace import WORKSPACE

#: The order does not matter: `context.model.ORDER` holds that of the prompt.
KINDS: tuple[BlockKind, ...] = (
    WORKSPACE,
    IDENTITY,
    LIFE,
    QUESTIONS,
    LOREBOOK,
    DOCUMENTS,
    GRAPH,
)
VERBATIM = frozenset(kind.source for kind in KINDS if kind.verbatim)
#: The share of all of them together: chat history may have the other half before them. Where they would need more,
#: those that come later in the prompt get less.
TOGETHER = 0.5
