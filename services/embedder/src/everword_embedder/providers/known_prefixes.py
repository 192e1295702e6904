"""Prefixes that a model expects before questions and passages, such as `query: `.

They are read from the prompts of config_sentence_transformers.json, or found by the model's name: many models document
them only in their model card, and servers do not return them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_QUERY_PROMPTS = ("query", "question", "search_query", "retrieval.query", "Retrieval-query")
_PASSAGE_PROMPTS = (
    "passage",
    "document",
    "search_document",
    "retrieval.passage",
    "Retrieval-document",
    "corpus",
)


@dataclass(frozen=True)
class Prefixes:
    """The texts before each question and before each passage."""

    query: str = ""
    passage: str = ""


_WEB = "Given a web search query, retrieve relevant passages that answer the query"
_SENTENCE = "Represent this sentence for searching relevant passages: "
#: The first pattern that matches in a model's lower-case name applies.
_KNOWN = (
    (r"e5-(mistral|.*instruct)", Prefixes(f"Instruct: {_WEB}\nQuery: ")),
    (r"(^|[/_-])e5-", Prefixes("query: ", "passage: ")),
    (r"qwen3-embedding", Prefixes(f"Instruct: {_WEB}\nQuery:")),
    (r"bge-(small|base|large)-en", Prefixes(_SENTENCE)),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"nomic-embed-text|modernbert-embed", Prefixes("search_query: ", "search_document: ")),
    (r"arctic-embed-.*v2", Prefixes("query: ")),
    (r"arctic-embed2", Prefixes("query: ")),
    (r"arctic-embed|mxbai-embed-large", Prefixes(_SENTENCE)),
    (r"embedding-?gemma", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def known_prefixes(model: str) -> Prefixes | None:
    """Return the prefixes that a model of this name expects; None if the name is unknown."""
    name = model.lower()
    return next((prefixes for pattern, prefixes in _KNOWN if re.search(pattern, name)), None)


def prompts_of(config: Mapping[str, Any]) -> Prefixes | None:
    """Return the prefixes in config_sentence_transformers.json; None if it has none.

    If there is no prompt for questions or passages, the default prompt applies to them.
    """
    prompts = config.get("prompts")
    if not isinstance(prompts, dict):
        return None
    default = prompts.get(config.get("default_prompt_name")) or ""
    query, passage = (
        next((prompts[name] for name in names if prompts.get(name)), default)
        for names in (_QUERY_PROMPTS, _PASSAGE_PROMPTS)
    )
    return Prefixes(str(query), str(passage)) if query or passage else None
