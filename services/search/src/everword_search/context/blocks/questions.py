"""The questions block: questions worth asking whose topic the query touches, at most two.

## Worth asking, where it fits
[3] verify: Is the residence of emi still Lisbon? (last heard of on 2024-06-15)
"""

from __future__ import annotations

from collections.abc import Sequence

from everword.facts.model import USER
from everword.people.model import StrategyKind
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.people.offers import find_offers


async def find_questions(block_request: BlockRequest) -> Sequence[ContextCandidate]:
    """Return the questions whose topic shares words with the query, most shared words first."""
    subjects = subjects_of(block_request)
    if not block_request.text or not subjects or not is_about_present(block_request):
        return []
    found = await find_offers(
        block_request.sources.database, block_request.namespace, subjects, block_request.text
    )
    return [
        ContextCandidate(
            StrategyKind(offer.kind).name.lower(),
            offer.question,
            remark=offer.reason,
            place=place,
            score=-float(place),
            strategy_id=offer.id,
        )
        for place, offer in enumerate(found)
    ]


def subjects_of(block_request: BlockRequest) -> list[str]:
    """Return the subjects of the context.

    They are those of the filter or the conversation, else its latest author and `user`.
    """
    named, conversation = block_request.request.filter.subjects, block_request.start.conversation
    if named is not None:
        return list(named)
    if block_request.record is None or conversation is None:
        return []
    if block_request.record.subject:
        return [block_request.record.subject]
    latest = conversation.latest
    return sorted({USER, latest.author if latest else ""} - {""})


def is_about_present(block_request: BlockRequest) -> bool:
    """Return whether a context is about the present; questions are pointless for a past moment."""
    requested = block_request.request.filter
    moments = (
        requested.valid_at,
        requested.known_at,
        requested.as_of_time,
        requested.as_of_conversation_id,
    )
    return all(each is None for each in moments) and requested.kinds is None


QUESTIONS = BlockKind(
    BlockSource.QUESTIONS, 0.05, find_questions, lambda present: present.strategies
)
