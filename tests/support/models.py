"""Model generations as tests use them."""

from __future__ import annotations

from everword_embedder.providers.generation import LOCAL, OPENAI, ModelGeneration

LOCAL_GENERATION = ModelGeneration(
    id=1,
    provider=LOCAL,
    endpoint="",
    model="all-MiniLM-L6-v2",
    dimensions=384,
    matryoshka=False,
    query_prefix="",
    passage_prefix="",
)


def served_generation(
    endpoint: str, model: str, dimensions: int, *, matryoshka: bool = False
) -> ModelGeneration:
    return ModelGeneration(
        id=2,
        provider=OPENAI,
        endpoint=endpoint,
        model=model,
        dimensions=dimensions,
        matryoshka=matryoshka,
        query_prefix="",
        passage_prefix="",
    )
