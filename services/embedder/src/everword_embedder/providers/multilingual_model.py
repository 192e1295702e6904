"""The default model: all-MiniLM-L6-v2 for English texts, multilingual-e5-small mapped into its space for others.

MiniLM is the better one on English and takes half the time, and e5 reads a hundred languages (ADR 41). Since the
vectors of both are in one space, a question finds answers in other languages as well.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from everword.text.text_language import is_english
from everword_embedder.providers.onnx_model import LocalEmbedding, LocalModel
from everword_embedder.providers.space_map import SpaceMap
from everword_embedder.providers.weights import WeightChoice


class MultilingualModel:
    """Two loaded models. Texts have the prefixes of multilingual-e5-small. Threads may share it."""

    def __init__(
        self,
        english: LocalModel,
        load_other: Callable[[], LocalModel],
        other_map: SpaceMap,
        prefixes: tuple[str, str],
    ) -> None:
        """`prefixes` are those of questions and passages. `load_other` is called for the first text in another
        language, so that a deployment with English only does not need its memory.
        """
        self._english = english
        self._load_other = load_other
        self._has_loaded_other = False
        self._map = other_map
        self._query, self._passage = prefixes
        # Loading takes seconds; threads that need the model wait for one that loads it.
        self._loading = threading.Lock()

    @property
    def choice(self) -> WeightChoice | None:
        """Return the form and speed of the model for English."""
        return self._english.choice

    @property
    def has_loaded_other(self) -> bool:
        """Return whether the model for other languages is loaded."""
        return self._has_loaded_other

    @property
    def batch(self) -> int:
        return self._english.batch

    def embed(self, texts: Sequence[str]) -> list[LocalEmbedding]:
        """Return the embedding of each text, in order. Raises ProviderMisconfigured if a model's files are wrong."""
        bare = [text.removeprefix(self._prefix(text)) for text in texts]
        english = [place for place, text in enumerate(bare) if is_english(text)]
        embedded = dict(
            zip(english, self._english.embed([bare[place] for place in english]), strict=True)
        )
        others = [place for place in range(len(texts)) if place not in embedded]
        if others:
            with self._loading:
                model = self._load_other()
                self._has_loaded_other = True
            vectors = model.embed([texts[place] for place in others])
            for place, each in zip(others, vectors, strict=True):
                is_query = texts[place].startswith(self._query)
                mapped = self._map.apply(each.vector, is_query=is_query)
                embedded[place] = LocalEmbedding(mapped, each.tokens)
        return [embedded[place] for place in range(len(texts))]

    def _prefix(self, text: str) -> str:
        return self._query if text.startswith(self._query) else self._passage
