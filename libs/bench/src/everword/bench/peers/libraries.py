"""The peers' libraries, each used as its own documentation shows, with vectors of the same model.

Each library is imported when it is opened, so that one peer does not pay for another one's import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from everword.bench.peers.minilm import DIMENSIONS, MiniLM

#: Messages as pairs of id and text.
Messages = Sequence[tuple[str, str]]


class Library(Protocol):
    """The calls of a peer that are measured. A space holds the messages of one conversation."""

    def add(self, space: str, messages: Messages) -> None: ...

    def finish(self) -> None:
        """Make everything that was added durable and searchable."""

    def search(self, space: str, query: str, limit: int) -> list[str]:
        """Return ids of messages, best first."""


class LanceDB:
    """A table for each space, without an index: LanceDB advises one from 100,000 rows on."""

    def __init__(self, folder: Path, model: MiniLM) -> None:
        import lancedb

        self._model = model
        self._database = lancedb.connect(str(folder))
        self._tables: dict[str, Any] = {}

    def add(self, space: str, messages: Messages) -> None:
        vectors = self._model.embed([text for _, text in messages])
        rows = [
            {"id": id_, "text": text, "vector": vector}
            for (id_, text), vector in zip(messages, vectors, strict=True)
        ]
        if space in self._tables:
            self._tables[space].add(rows)
        else:
            self._tables[space] = self._database.create_table(space, data=rows)

    def finish(self) -> None:
        """Return at once: each addition is durable."""

    def search(self, space: str, query: str, limit: int) -> list[str]:
        if space not in self._tables:
            self._tables[space] = self._database.open_table(space)
        [vector] = self._model.embed([query])
        found = self._tables[space].search(vector).distance_type("cosine").limit(limit)
        return [row["id"] for row in found.select(["id"]).to_list()]


class Chroma:
    """A persistent collection for each space, with Chroma's own index (HNSW)."""

    def __init__(self, folder: Path, model: MiniLM) -> None:
        import chromadb

        self._model = model
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(folder), settings=settings)
        self._collections: dict[str, Any] = {}

    def _collection(self, space: str) -> Any:
        if space not in self._collections:
            self._collections[space] = self._client.get_or_create_collection(
                space, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
            )
        return self._collections[space]

    def add(self, space: str, messages: Messages) -> None:
        texts = [text for _, text in messages]
        self._collection(space).add(
            ids=[id_ for id_, _ in messages], documents=texts, embeddings=self._model.embed(texts)
        )

    def finish(self) -> None:
        """Return at once: each addition is durable."""

    def search(self, space: str, query: str, limit: int) -> list[str]:
        found = self._collection(space).query(
            query_embeddings=self._model.embed([query]), n_results=limit, include=[]
        )
        ids: list[str] = found["ids"][0]
        return ids


class Txtai:
    """An embeddings index for each space, in a folder of its own."""

    def __init__(self, folder: Path, model: MiniLM) -> None:
        from txtai import Embeddings

        # txtai calls a function with texts; it would call a method without arguments. An index does not store it.
        self._config = {"method": "external", "transform": lambda texts: model.embed(texts)}
        self._embeddings = Embeddings
        self._folder = folder
        self._indexes: dict[str, Any] = {}

    def _index(self, space: str) -> Any:
        if space not in self._indexes:
            index = self._embeddings(self._config)
            if (self._folder / space).exists():
                index.load(str(self._folder / space), config=self._config)
            self._indexes[space] = index
        return self._indexes[space]

    def add(self, space: str, messages: Messages) -> None:
        self._index(space).upsert([(id_, text, None) for id_, text in messages])

    def finish(self) -> None:
        for space, index in self._indexes.items():
            index.save(str(self._folder / space))

    def search(self, space: str, query: str, limit: int) -> list[str]:
        return [id_ for id_, _ in self._index(space).search(query, limit)]


class Mem0:
    """mem0 with its local Qdrant, without a language model: `infer=False` stores messages as they are."""

    def __init__(self, folder: Path, model: MiniLM) -> None:
        from mem0 import Memory

        store = {
            "collection_name": "messages",
            "path": str(folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": DIMENSIONS,
        }
        # Both are constructed, neither is called: the embedder is replaced, and nothing is inferred.
        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": unused,
                "embedder": unused,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Mem0Embedder(model)

    def add(self, space: str, messages: Messages) -> None:
        for id_, text in messages:
            self._memory.add(
                [{"role": "user", "content": text}],
                user_id=space,
                metadata={"message": id_},
                infer=False,
            )

    def finish(self) -> None:
        """Return at once: each addition is durable."""

    def search(self, space: str, query: str, limit: int) -> list[str]:
        found = self._memory.search(query, filters={"user_id": space}, top_k=limit, threshold=0.0)
        return [each["metadata"]["message"] for each in found["results"]]


class Mem0Embedder:
    """The interface of mem0's embedders."""

    def __init__(self, model: MiniLM) -> None:
        self._model = model

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return [float(each) for each in self._model.embed([text])[0]]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        rows: list[list[float]] = np.asarray(self._model.embed(texts)).tolist()
        return rows


_LIBRARIES: Mapping[str, Callable[[Path, MiniLM], Library]] = {
    "lancedb": LanceDB,
    "chroma": Chroma,
    "txtai": Txtai,
    "mem0": Mem0,
}
#: The distribution of each peer.
DISTRIBUTIONS = {"lancedb": "lancedb", "chroma": "chromadb", "txtai": "txtai", "mem0": "mem0ai"}


def open_library(peer: str, folder: Path, model: MiniLM) -> Library:
    """Open a peer's store in a folder."""
    return _LIBRARIES[peer](folder, model)
