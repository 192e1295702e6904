"""The embedder service as its own workers call it: over gRPC, so that a model is loaded once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from opentelemetry import propagate

from everword.client.channel import open_blocking_channel
from everword.domain.settings import Secret
from everword.internal.v1 import embedder_service_pb2 as pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.rpc.authentication import INTERNAL_HEADER
from everword_embedder.providers.errors import INPUT_TOKENS
from everword_embedder.queue.embedder import ModelUnavailable, TextsRejected

#: Longer than the model server needs for a batch on a slow CPU; a silent one is given up then.
TIMEOUT_S = 96.0
#: How the embedder names a text that it refuses.
_TEXT = re.compile(r"texts\[(\d+)\]")


class RemoteEmbedder:
    """Asks for vectors in the background."""

    def __init__(
        self,
        address: str,
        token: Secret,
        timeout_s: float = TIMEOUT_S,
        spent: Callable[[int], None] = lambda tokens: None,
    ) -> None:
        """`spent` is called in the thread that asks, after each call, with the tokens that the model read."""
        self._timeout_s = timeout_s
        self._spent = spent
        self._channel = open_blocking_channel(address)
        # One class serves both kinds of channel; the type stubs know the asynchronous one.
        self._stub: Any = EmbedderServiceStub(self._channel)  # type: ignore[arg-type]
        self._metadata = ((INTERNAL_HEADER, token.reveal()),) if token else ()

    def close(self) -> None:
        self._channel.close()

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        """Return a vector for each text, as a passage or as a query: (texts, dimensions).

        Raises TextsRejected or ModelUnavailable.
        """
        priority = pb.EMBED_PRIORITY_QUERY if queries else pb.EMBED_PRIORITY_BACKGROUND
        request = pb.EmbedRequest(texts=texts, priority=priority, generation_id=generation_id)
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        metadata = (*self._metadata, *carrier.items())
        try:
            response = self._stub.Embed(request, timeout=self._timeout_s, metadata=metadata)
        except grpc.RpcError as error:
            self._spent(_tokens_read(error))
            if reasons := _refused_texts(error):
                raise TextsRejected(reasons) from error
            raise ModelUnavailable(f"{error.code().name}: {error.details()}") from error
        self._spent(response.input_tokens)
        if len(response.vectors) != len(texts):
            raise ModelUnavailable(f"{len(response.vectors)} vectors for {len(texts)} texts")
        vectors = np.frombuffer(b"".join(response.vectors), "<f4")
        return vectors.reshape(len(texts), response.dimensions)


def _refused_texts(error: grpc.RpcError) -> dict[int, str]:
    """Return why texts are refused, by their index; empty where an error is about something else."""
    broken = error_details_pb2.BadRequest()
    _read_detail(error, broken)
    matches = ((_TEXT.fullmatch(each.field), each.description) for each in broken.field_violations)
    return {int(match[1]): reason for match, reason in matches if match}


def _tokens_read(error: grpc.RpcError) -> int:
    """Return how many tokens the model read before an error."""
    info = error_details_pb2.ErrorInfo()
    _read_detail(error, info)
    return int(info.metadata.get(INPUT_TOKENS, "0"))


def _read_detail(error: grpc.RpcError, detail: Message) -> None:
    """Fill in a detail of an error; it stays empty where the error has none of its kind."""
    # Every error of a call is a call as well, which its type does not say.
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    for each in status.details if status else ():
        each.Unpack(detail)
