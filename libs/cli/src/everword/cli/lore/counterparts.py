"""Fields of an entry that Everword has no counterpart for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from everword.cli.lore.keys import has_secondary_keys
from everword.cli.lore.values import is_number, objects_in

#: Fields that change when an entry comes in, and have no counterpart; with values that change nothing. SillyTavern
#: writes them in camel case in World Info, and in snake case in cards.
_NO_COUNTERPART: dict[str, tuple[Any, ...]] = {
    "cooldown": (0,),
    "delay": (0,),
    "probability": (100,),
    "activationPercent": (100,),
    "delayUntilRecursion": (0,),
    "group": (),
    "groupOverride": (),
    "useGroupScoring": (),
    "characterFilter": (),
    "characterFilterNames": (),
    "characterFilterTags": (),
    "selectiveLogic": (0,),
    "vectorized": (),
    "triggers": (),
    "matchPersonaDescription": (),
    "matchCharacterDescription": (),
    "matchCharacterPersonality": (),
    "matchCharacterDepthPrompt": (),
    "matchScenario": (),
    "matchCreatorNotes": (),
    "ignoreBudget": (),
    "automationId": (),
    "outletName": (),
    "searchRange": (1000,),
    "keyRelative": (),
    "nonStoryActivatable": (),
}
#: Positions in a prompt that need no counterpart: before or after the character.
_PLAIN_POSITIONS = (None, "", 0, 1, "before_char", "after_char")
#: Fields of NovelAI for the position and size of an entry in a prompt, with their neutral values.
_CONFIG: dict[str, tuple[Any, ...]] = {
    "prefix": (),
    "suffix": ("\n",),
    "insertionPosition": (-1,),
    "tokenBudget": (1, 2048),
    "reservedTokens": (0,),
}
#: Modes of an entry of RisuAI that are ones of Everword, too.
_PLAIN_MODES = (None, "", "normal", "constant", "multiple")


def without_counterpart(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that change when and where an entry comes in, and have no counterpart."""
    if entry.get("selective") and has_secondary_keys(entry):
        yield "secondary keys has no counterpart"
    for name, harmless in _NO_COUNTERPART.items():
        if name == "probability" and entry.get("useProbability") is False:
            continue
        value = entry.get(name, entry.get(_snake(name), entry.get(f"risu_{name}")))
        if _has_value(value) and value not in harmless:
            yield f"{name} has no counterpart"
    if entry.get("position") not in _PLAIN_POSITIONS:
        yield "position has no counterpart"
    if entry.get("mode") not in _PLAIN_MODES:
        yield "mode has no counterpart"
    for name, harmless in _CONFIG.items():
        value = _config(entry).get(name)
        if _has_value(value) and value not in harmless:
            yield f"contextConfig.{name} has no counterpart"
    if has_bias(entry.get("loreBiasGroups")):
        yield "loreBiasGroups has no counterpart"


def _config(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return NovelAI's settings for the position of an entry in a prompt."""
    config = entry.get("contextConfig")
    return config if isinstance(config, dict) else {}


def has_bias(groups: Any) -> bool:
    """Return whether groups of NovelAI hold phrases, which make a model say them more or less often."""
    return any(each.get("phrases") for each in objects_in(groups))


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", name)


def _has_value(value: Any) -> bool:
    """Return whether some text, number or flag in a value is set. 0 is set: no probability is never."""
    if isinstance(value, dict):
        return any(_has_value(each) for each in value.values())
    if isinstance(value, list):
        return any(_has_value(each) for each in value)
    return value not in (None, False, "") if not is_number(value) else True
