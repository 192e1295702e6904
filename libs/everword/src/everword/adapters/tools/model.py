"""A tool that models can call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, Literal

from pydantic import BaseModel, create_model
from pydantic.json_schema import GenerateJsonSchema

from everword.client import Client
from everword.client.freshness import Freshness

Effect = Literal["reads", "adds", "replaces"]
#: A tool that changes nothing.
READS: Effect = "reads"
#: A tool that adds, and takes nothing away.
ADDS: Effect = "adds"
#: A tool after which something is not there any more.
REPLACES: Effect = "replaces"


class ToolError(Exception):
    """A call that failed. Its text is for the model."""


@dataclass(frozen=True)
class ToolScope:
    """The agent and the user that tools are limited to; empty for no limit."""

    agent: str = ""
    subject: str = ""


NO_SCOPE = ToolScope()


class ToolCaller:
    """The caller of a tool, for one call."""

    def __init__(
        self,
        client: Client,
        freshness: Freshness,
        scope: ToolScope = NO_SCOPE,
        metadata: tuple[tuple[str, str], ...] = (),
        open_conversations: set[str] | None = None,
    ) -> None:
        self.client = client
        self.scope = scope
        self.token = freshness.token
        """The consistency token of the caller's last write, which its reads have to see; empty if there is none."""
        self.metadata = metadata
        """Headers to call with, where the client has none of its own."""
        self.open_conversations = set[str]() if open_conversations is None else open_conversations
        """Ids of conversations that tools have appended to. Their sessions end with the caller's process."""
        self._freshness = freshness
        self._begun = freshness.begin()

    def wrote(self, token: str) -> None:
        """Keep the consistency token of a write."""
        self._freshness.wrote(token, self._begun)


@dataclass(frozen=True)
class Tool:
    """A function that a model can call, with a ToolCaller and the model's arguments."""

    call: Callable[..., Awaitable[str]]
    title: str
    effect: Effect

    @property
    def name(self) -> str:
        return self.call.__name__

    @property
    def description(self) -> str:
        """Its docstring, on lines of its own."""
        lines = (self.call.__doc__ or "").strip().splitlines()
        return "\n".join(line.strip() for line in lines)

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters that a model fills in."""
        return list(signature(self.call, eval_str=True).parameters.values())[1:]

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A pydantic model that checks the arguments."""
        fields: dict[str, Any] = {
            each.name: (each.annotation, ... if each.default is Parameter.empty else each.default)
            for each in self.parameters
        }
        return create_model(self.name, **fields)

    def schema(self, scope: ToolScope) -> dict[str, Any]:
        """Return the JSON schema of its arguments, without the ones fixed by the scope."""
        schema = self.arguments.model_json_schema(schema_generator=_ShortSchema)
        for each in (schema, *schema.get("$defs", {}).values()):
            each.pop("title")
        for name in decided_arguments(scope):
            schema["properties"].pop(name, None)
        return schema


def decided_arguments(scope: ToolScope) -> dict[str, str]:
    """Return the arguments that a scope decides, with their values."""
    decided = {"subject": scope.subject, "agents": scope.agent}
    return {name: value for name, value in decided.items() if value}


class _ShortSchema(GenerateJsonSchema):
    """Leaves out parts that cost tokens in each turn and do not help a model.

    These are titles, which repeat the name of a field, lengths of texts and lists, and empty default values.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        made = super().default_schema(schema)
        if made.get("default") in ("", [], False):
            made.pop("default", None)
        return made

    def str_schema(self, schema: Any) -> dict[str, Any]:
        made = super().str_schema(schema)
        return {name: value for name, value in made.items() if name not in _LENGTHS}

    def tuple_schema(self, schema: Any) -> dict[str, Any]:
        made = super().tuple_schema(schema)
        return {name: value for name, value in made.items() if name not in _LENGTHS}


_LENGTHS = {"minLength", "maxLength", "minItems", "maxItems"}


@dataclass(frozen=True)
class ToolSet:
    """Tools that are offered together."""

    tools: tuple[Tool, ...]
    instructions: str = ""
    """When to use them, for the model."""
