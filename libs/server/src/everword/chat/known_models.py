"""Context lengths of hosted models whose APIs do not report them.

Models that people run themselves are absent: their servers report the length that they were started with.
"""

from __future__ import annotations

#: Tokens of a context by the beginning of a model's name. The longest matching name counts.
_CONTEXT_TOKENS = {
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-turbo": 128_000,
    "gpt-4o": 128_000,
    "chatgpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    # Its input is limited to 272,000 tokens.
    "gpt-5": 272_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "claude": 200_000,
    "gemini": 1_048_576,
    "deepseek-chat": 64_000,
    "deepseek-reasoner": 64_000,
    "grok": 131_072,
    "command-r": 128_000,
    "command-a": 256_000,
}
#: Characters between a name and its version or tag.
_SEPARATORS = "-.:@"


def known_context(model: str) -> int | None:
    """Return the context length of a hosted model in tokens, such as `openai/gpt-4o-mini`; None for others."""
    name = model.lower().rsplit("/", 1)[-1].removeprefix("ft:")
    matches = [
        known
        for known in _CONTEXT_TOKENS
        if name == known or (name.startswith(known) and name[len(known)] in _SEPARATORS)
    ]
    return _CONTEXT_TOKENS[max(matches, key=len)] if matches else None
