"""Turns observations into statements for the writer of facts."""

from __future__ import annotations

from collections.abc import Sequence

from everword.domain.ids import new_id
from everword.facts.attributes import find_attribute
from everword.facts.model import FactSource, FactState, Key
from everword.facts.statement import FactStatement
from everword.facts.store import NewEvidence
from everword.facts.writer import ChangeReason
from everword_compactor.sleep.model import KnownFact, Observation, Quote, SleepConversation

#: The actor and reason in the history of facts.
AUDIT = ChangeReason("machine", "learned in sleep")


def pieces_of(quotes: Sequence[Quote], reason: str = "") -> list[NewEvidence]:
    """Return evidence for each quote: the exact message, and its words."""
    return [
        NewEvidence(
            new_id(),
            quote.message_id,
            quote.conversation_id,
            False,
            quote.text,
            reason,
            quote.said_at,
        )
        for quote in quotes
    ]


def fact_statement_of(
    key: Key,
    value: str,
    observation: Observation,
    conversation: SleepConversation,
) -> FactStatement:
    """Return the statement of an observation; it is valid from its first mention."""
    return FactStatement(
        key,
        value,
        FactSource.STATED,
        min(quote.said_at for quote in observation.quotes),
        pieces_of(observation.quotes),
        hypothesis=observation.hypothesis,
        agent=conversation.agent,
        is_untrusted=conversation.is_untrusted,
    )


def fact_after_statement(statement: FactStatement, before: KnownFact | None = None) -> KnownFact:
    """Return the fact of a statement as it will be stored, for later stages and sessions."""
    attribute = find_attribute(statement.key.attribute)
    mentions = len(statement.pieces) + (before.mentions if before else 0)
    return KnownFact(
        id=before.id if before else None,
        key=statement.key,
        value=before.value if before else statement.value,
        category=before.category if before else attribute.category,
        state=before.state if before else FactState.SUSPECTED,
        source=before.source if before else statement.source,
        confidence=before.confidence if before else 0.0,
        mentions=mentions,
        several=before.several if before else statement.is_several,
        first_seen_at=min(statement.since, before.first_seen_at) if before else statement.since,
        last_seen_at=max(statement.said_at, before.last_seen_at) if before else statement.said_at,
        lifetime_days=before.lifetime_days if before else attribute.lifetime_days,
        is_ruled=before.is_ruled if before else False,
        hypothesis=statement.hypothesis and (before.hypothesis if before else True),
    )
