"""all-MiniLM-L6-v2 in full precision without vLLM: the reference implementation behind OpenAI's API."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from support.minilm import MAX_TOKENS, reference
from support.scripted_embedder import ScriptedEmbedder
from vllm.server import MODEL


class ReferenceServer(ScriptedEmbedder):
    """Answers as vLLM does, with vectors of the reference implementation."""

    def __init__(self) -> None:
        super().__init__(dimensions=384)
        self.model = MODEL
        # The server truncates to this number of words; the reference then reads at most as many tokens of them.
        self.max_words = MAX_TOKENS

    def vector(self, text: str) -> NDArray[np.float32]:
        return reference(text)
