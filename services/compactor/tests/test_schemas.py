"""JSON schemas of all questions to language models, as they are sent."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import everword_compactor
from everword.chat.dialect import MAX_LENGTH, AnswerForm, ChatDialect, body_of
from everword.chat.model import ChatRequest
from everword_compactor.compose.model import Level
from everword_compactor.compose.prompts.answers import answer_schema

#: llama.cpp and Ollama refuse to repeat a rule of their grammars 2,000 times.
_LIMITS = {"maxLength", "minLength", "maxItems", "minItems"}


def _schemas() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every schema of the product: constants of modules, and those of summaries."""
    for module in pkgutil.walk_packages(everword_compactor.__path__, "everword_compactor."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, Mapping) and value.get("type") == "object" and name.isupper():
                yield f"{module.name}.{name}", value
    for level in Level:
        yield f"summary of level {level.name}", answer_schema(level, 16_000)


def _limits_of(schema: Any) -> Iterator[int]:
    if isinstance(schema, list):
        for each in schema:
            yield from _limits_of(each)
    if isinstance(schema, dict):
        yield from (
            value for name, value in schema.items() if name in _LIMITS and type(value) is int
        )
        for value in schema.values():
            yield from _limits_of(value)


def test_no_schema_is_sent_with_limits_that_grammars_refuse() -> None:
    schemas = dict(_schemas())
    assert len(schemas) >= 14
    for name, schema in schemas.items():
        request = ChatRequest("task", "System.", "User.", 100, schema=schema)
        body = body_of(request, "model", ChatDialect())
        sent = body["response_format"]["json_schema"]["schema"]
        assert max(_limits_of(sent), default=0) <= MAX_LENGTH, name
        plain = body_of(request, "model", ChatDialect(answer_form=AnswerForm.TEXT))
        assert "response_format" not in plain
