"""People, events and questions as the messages of `everword.v1`."""

from __future__ import annotations

from everword.people.views import EventView, PersonView, StrategyView
from everword.rpc.translate import to_timestamp
from everword.v1 import people_pb2 as pb


def person_to_proto(view: PersonView) -> pb.Person:
    return pb.Person(
        id=str(view.id),
        subject=view.subject,
        name=view.name,
        aliases=view.aliases,
        relation=view.relation,
        status=pb.RelationStatus.ValueType(view.status),
        mention_count=view.mention_count,
        first_seen_time=to_timestamp(view.first_seen_at),
        last_seen_time=to_timestamp(view.last_seen_at),
        ruling=pb.LearnedRuling.ValueType(view.ruling or 0),
    )


def event_to_proto(view: EventView) -> pb.Event:
    status = pb.EventStatus.ValueType(view.status)
    if status == pb.EVENT_STATUS_ACTIVE and view.is_expired:
        status = pb.EVENT_STATUS_EXPIRED
    return pb.Event(
        id=str(view.id),
        subject=view.subject,
        title=view.title,
        category=view.category,
        start_time=to_timestamp(view.starts_at),
        end_time=to_timestamp(view.ends_at),
        importance=view.importance,
        decay_days=view.decay_days,
        expire_time=to_timestamp(view.expires_at),
        status=status,
        mention_count=view.mention_count,
        first_seen_time=to_timestamp(view.first_seen_at),
        last_seen_time=to_timestamp(view.last_seen_at),
        ruling=pb.LearnedRuling.ValueType(view.ruling or 0),
    )


def strategy_to_proto(view: StrategyView) -> pb.Strategy:
    return pb.Strategy(
        id=str(view.id),
        subject=view.subject,
        kind=pb.StrategyKind.ValueType(view.kind),
        about=pb.StrategyAbout.ValueType(view.about_kind),
        about_id=str(view.about_id),
        topic=view.topic,
        question=view.question,
        reason=view.reason,
        state=pb.StrategyState.ValueType(view.state),
        offer_count=view.offer_count,
        last_offer_time=to_timestamp(view.last_offered_at),
        create_time=to_timestamp(view.created_at),
        end_time=to_timestamp(view.ended_at),
    )
