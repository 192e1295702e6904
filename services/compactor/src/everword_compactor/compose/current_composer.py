"""The model and versions that nodes are to be written by, for those who only compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everword.chat.settings import ChatSettings
from everword_compactor.compose.model import BUDGET_TOKENS, EXTRACTIVE, EXTRACTIVE_VERSION, Level
from everword_compactor.compose.prompts.levels import PROMPT_VERSIONS


@dataclass(frozen=True)
class CurrentComposer:
    """The model and version that each level is written by now; a node by another model or a lower one is outdated."""

    model: str
    versions: Mapping[Level, int]


def current_composer(chat: ChatSettings | None) -> CurrentComposer:
    """Return the model and prompt versions of a worker with these settings."""
    if chat is None:
        return CurrentComposer(EXTRACTIVE, dict.fromkeys(BUDGET_TOKENS, EXTRACTIVE_VERSION))
    return CurrentComposer(chat.model, PROMPT_VERSIONS)
