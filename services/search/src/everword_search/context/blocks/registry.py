"""The kinds of blocks that a context has beside memories and chat history."""

from __future__ import annotations

from everword_search.context.blocks.daily_log import DAILY_LOG
from everword_search.context.blocks.model import BlockKind

#: The order does not matter: `context.model.ORDER` holds that of the prompt. The shares are at most .4 together: chat
#: history may have half of the budget before them.
KINDS: tuple[BlockKind, ...] = (DAILY_LOG,)
