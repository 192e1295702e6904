"""The embedder service as its own workers call it: over gRPC, so that a model is loaded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc
import numpy as np
from opentelemetry import propagate

from everword.domain.settings import Secret
from everword.internal.v1 import embedder_service_pb2 as pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.rpc.authentication import INTERNAL_HEADER
from everword.rpc.channel import open_blocking_channel
from everword_embedder.drain import ModelUnavailable, TextRejected

#: Longer than the model server needs for a batch on a slow CPU; a silent one is given up then.
TIMEOUT_S = 96.0


class RemoteEmbedder:
    """Asks for vectors in the background."""

    def __init__(self, address: str, token: Secret, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._channel = open_blocking_channel(address)
        # One class serves both kinds of channel; the type stubs know the asynchronous one.
        self._stub: Any = EmbedderServiceStub(self._channel)  # type: ignore[arg-type]
        self._metadata = ((INTERNAL_HEADER, token.reveal()),) if token else ()

    def close(self) -> None:
        self._channel.close()

    def embed(self, generation_id: int, texts: Sequence[str]) -> list[str]:
        """Return a vector in pgvector's text form for each text. Raises TextRejected or ModelUnavailable."""
        request = pb.EmbedRequest(
            texts=texts, priority=pb.EMBED_PRIORITY_BACKGROUND, generation_id=generation_id
        )
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        metadata = (*self._metadata, *carrier.items())
        try:
            response = self._stub.Embed(request, timeout=self._timeout_s, metadata=metadata)
        except grpc.RpcError as error:
            text = f"{error.code().name}: {error.details()}"
            if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                raise TextRejected(text) from error
            raise ModelUnavailable(text) from error
        if len(response.vectors) != len(texts):
            raise ModelUnavailable(f"{len(response.vectors)} vectors for {len(texts)} texts")
        return [text_form(vector) for vector in response.vectors]


def text_form(vector: bytes) -> str:
    """Return a little-endian float32 vector as pgvector reads it: `[0.1,-0.2]`."""
    values = np.frombuffer(vector, dtype="<f4")
    return f"[{','.join(f'{value:.6g}' for value in values)}]"
