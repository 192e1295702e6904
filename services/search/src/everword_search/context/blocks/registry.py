"""The kinds of blocks that a context has beside memories and chat history."""

from __future__ import annotations

from everword_search.context.blocks.daily_log import DAILY_LOG
from everword_search.context.blocks.graph import GRAPH
from everword_search.context.blocks.identity import IDENTITY
from everword_search.context.blocks.life import LIFE
from everword_search.context.blocks.lorebook import LOREBOOK
from everword_search.context.blocks.model import BlockKind
from everword_search.context.blocks.questions import QUESTIONS

#: The order does not matter: `context.model.ORDER` holds that of the prompt. The shares are at most .5 together: chat
#: history may have half of the budget before them.
KINDS: tuple[BlockKind, ...] = (IDENTITY, LIFE, QUESTIONS, LOREBOOK, DAILY_LOG, GRAPH)
