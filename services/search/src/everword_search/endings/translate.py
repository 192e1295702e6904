"""Outdated facts to protos."""

from __future__ import annotations

from collections.abc import Sequence

from everword.rpc.translate import to_timestamp
from everword.v1 import fact_pb2
from everword_search.endings.model import Ending


def endings_to_proto(endings: Sequence[Ending]) -> list[fact_pb2.SupersededFact]:
    return [_ending(each) for each in endings]


def _ending(ending: Ending) -> fact_pb2.SupersededFact:
    message = fact_pb2.SupersededFact(
        fact_id=str(ending.fact_id or ""),
        attribute=ending.attribute,
        value=ending.value,
        ending=fact_pb2.FactEnding.ValueType(ending.kind),
        ended_time=to_timestamp(ending.ended_at),
    )
    if current := ending.current:
        message.current_fact_id = str(current.fact_id or "")
        message.current_value = current.value
        message.current_text = current.text
        message.current_memory_id = str(current.memory_ids[0])
    return message
