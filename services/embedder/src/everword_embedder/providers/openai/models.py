"""The models that a server with OpenAI's API has."""

from __future__ import annotations

from dataclasses import dataclass

from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderMisconfigured,
    WrongAnswer,
)
from everword_embedder.providers.openai.answers import vectors_of
from everword_embedder.providers.openai.server import OpenAIServer

#: A text that every model can embed, sent to learn a server's behaviour.
HELLO = "hello"


@dataclass(frozen=True)
class ListedModel:
    """A model as `/v1/models` lists it."""

    id: str
    max_tokens: int | None
    vllm: bool


@dataclass(frozen=True)
class ServedModel:
    """The properties of a server's model that a new generation needs."""

    model: str
    dimensions: int
    max_tokens: int | None


async def listed_model(server: OpenAIServer, model: str) -> ListedModel:
    """Return the server's entry of `model`; only its name if the server does not list it."""
    try:
        body = await server.get("/v1/models")
    except (ProviderMisconfigured, BatchRefused, WrongAnswer):
        # Some servers do not list models, or not with every key. A wrong key is reported with the first text.
        body = {}
    data = body.get("data")
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    if not model and len(entries) == 1:
        model = str(entries[0].get("id", ""))
    entry = next((entry for entry in entries if entry.get("id") == model), {})
    meta = entry.get("meta")
    # vLLM's field, or llama.cpp's.
    limit = entry.get("max_model_len") or (
        meta.get("n_ctx_train") if isinstance(meta, dict) else None
    )
    return ListedModel(
        id=model,
        max_tokens=limit if isinstance(limit, int) else None,
        vllm=entry.get("owned_by") == "vllm",
    )


async def describe_model(server: OpenAIServer, model: str = "") -> ServedModel:
    """Return the properties of `model` for a new generation, or of the server's only model if empty.

    Raises ProviderMisconfigured if the server has several models and none is named.
    """
    listed = await listed_model(server, model)
    if not listed.id:
        raise ProviderMisconfigured("the server does not have exactly one model; name one")
    body = {"model": listed.id, "input": [HELLO]}
    answer = await server.post("/v1/embeddings", body, [HELLO])
    return ServedModel(listed.id, int(vectors_of(answer, 1).shape[1]), listed.max_tokens)
