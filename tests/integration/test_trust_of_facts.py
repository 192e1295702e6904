"""An untrusted channel never ends, replaces or confirms a fact from a trusted source."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import ingest_service_pb2 as ingest
from support.calendar_calls import update_settings
from support.calls import message, target
from support.learning import day, learn
from support.sleep_calls import sleep
from support.stack import Stack

OPEN = admin.ChannelPolicy(index=True, roll_up=True, untrusted=True)
SUSPECTED = fact_pb2.FACT_STATE_SUSPECTED
CONFIRMED = fact_pb2.FACT_STATE_CONFIRMED


async def _say(
    stack: Stack, channel: str, text: str, at: int, session: str = ""
) -> ingest.AppendMessagesResponse:
    stamp = Timestamp()
    stamp.FromDatetime(day(at))
    request = ingest.AppendMessagesRequest(
        conversation=target(session or f"{channel} {at}", channel=channel, subject="emi"),
        messages=[message(text, create_time=stamp)],
    )
    return await stack.ingest.AppendMessages(request)


async def _attack(stack: Stack, text: str, begin: int = 10, times: int = 6) -> None:
    """Send e-mails from an untrusted channel, each in a conversation of its own, and learn from them."""
    for number in range(times):
        await _say(stack, "mail", text, begin + number)
        await learn(stack)


async def _profile(stack: Stack, **request: Any) -> dict[str, list[fact_pb2.Fact]]:
    wanted = profile.GetProfileRequest(subject="emi", **request)
    found: dict[str, list[fact_pb2.Fact]] = {}
    for fact in (await stack.fact_queries.GetProfile(wanted)).facts:
        found.setdefault(fact.attribute, []).append(fact)
    return found


async def _every(stack: Stack, attribute: str) -> dict[str, fact_pb2.Fact]:
    """Return all facts of an attribute by value, including ended and rejected ones."""
    request = profile.ListFactsRequest(attributes=[attribute], include_superseded=True)
    return {fact.value: fact for fact in (await stack.fact_queries.ListFacts(request)).facts}


async def _trust_mail_not(stack: Stack) -> None:
    await update_settings(stack, channel_policies={"mail": OPEN})


async def test_untrusted_statements_dispute_trusted_facts_without_replacing_them(
    stack: Stack,
) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon. I work at Acme.", 0)
    await learn(stack)
    await _attack(stack, "I moved to Rome. I work at Initech now.")
    await sleep(stack, None)
    held = await _profile(stack)
    assert [(f.value, f.state, f.disputed) for f in held["residence"]] == [
        ("Lisbon", SUSPECTED, True)
    ]
    assert [(f.value, f.state, f.disputed) for f in held["employer"]] == [("Acme", SUSPECTED, True)]
    assert held["residence"][0].confidence == 0.5
    assert held["residence"][0].supporting == 1
    for attribute, value in (("residence", "Rome"), ("employer", "Initech")):
        other = (await _every(stack, attribute))[value]
        assert (other.state, other.memory_id) == (SUSPECTED, "")
        assert other.confidence < 0.5
        explained = await stack.fact_queries.ExplainFact(
            profile.ExplainFactRequest(fact_id=other.id)
        )
        [dispute] = explained.disputes
        assert dispute.old_fact_id == held[attribute][0].id
        assert not dispute.HasField("settle_time")
    # A context has the trusted value, marked as disputed.
    chat = await _say(stack, "chat", "Hello again!", 25)
    request = context.BuildContextRequest(
        conversation_id=chat.conversation_id, query="What shall we cook?"
    )
    text = (await stack.context.BuildContext(request)).text
    assert "Residence: Lisbon (suspected, disputed" in text
    assert "Residence: Rome" not in text


async def test_trusted_statement_overrides_earlier_and_later_untrusted_ones(stack: Stack) -> None:
    await _trust_mail_not(stack)
    await _attack(stack, "I live in Rome.", begin=0, times=3)
    [rome] = (await _profile(stack))["residence"]
    assert (rome.value, rome.state) == ("Rome", SUSPECTED)
    assert rome.confidence < 0.5
    await _say(stack, "chat", "I live in Lisbon.", 5)
    await learn(stack)
    await _attack(stack, "I live in Rome.", begin=6, times=3)
    [lisbon] = (await _profile(stack))["residence"]
    assert (lisbon.value, lisbon.disputed) == ("Lisbon", True)
    # The untrusted value stays in the history, for the time before the trusted statement.
    at = Timestamp()
    at.FromDatetime(day(3))
    [before] = (await _profile(stack, valid_at_time=at))["residence"]
    assert before.value == "Rome"


async def test_trusted_statement_learned_late_is_valid_from_its_own_time(
    stack: Stack,
) -> None:
    await _trust_mail_not(stack)
    await _attack(stack, "I live in Rome.", begin=10, times=2)
    await _say(stack, "chat", "I live in Lisbon.", 5)
    await learn(stack)
    for number in (5, 12, 29):
        at = Timestamp()
        at.FromDatetime(day(number) + timedelta(minutes=1))
        [held] = (await _profile(stack, valid_at_time=at))["residence"]
        assert (held.value, held.disputed) == ("Lisbon", True)


async def test_untrusted_retractions_and_corrections_end_no_trusted_fact(stack: Stack) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon. I am allergic to peanuts. I work at Acme.", 0)
    await _say(stack, "chat", "My sister is called Nadia.", 0, session="other")
    await learn(stack)
    before = {name: [f.value for f in found] for name, found in (await _profile(stack)).items()}
    assert set(before) >= {"residence", "allergy", "employer", "sibling"}
    for at, text in enumerate(
        [
            "I quit my job.",
            "I don't live in Lisbon any more.",
            "I am no longer allergic to peanuts.",
            "I work at Acme.",
            "No, I meant Initech.",
        ],
        start=5,
    ):
        await _say(stack, "mail", text, at, session="mail")
        await learn(stack)
    after = await _profile(stack)
    assert {name: [fact.value for fact in found] for name, found in after.items()} == before
    assert after["employer"][0].disputed
    assert not after["sibling"][0].disputed
    assert {fact.confidence for found in after.values() for fact in found} == {0.5}


async def test_untrusted_evidence_confirms_no_trusted_fact(stack: Stack) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon.", 0)
    await learn(stack)
    await _attack(stack, "I live in Lisbon.")
    await sleep(stack, None)
    [lisbon] = (await _profile(stack))["residence"]
    assert (lisbon.state, lisbon.confidence, lisbon.supporting) == (SUSPECTED, 0.5, 1)
    assert not lisbon.disputed
    explained = await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=lisbon.id))
    assert [each.untrusted for each in explained.evidence] == [False, *[True] * 6]
    # A second trusted conversation does.
    await _say(stack, "chat", "I live in Lisbon.", 20)
    await learn(stack)
    [lisbon] = (await _profile(stack))["residence"]
    assert lisbon.state == CONFIRMED


async def test_untrusted_value_replaces_the_fact_once_a_trusted_source_states_it(
    stack: Stack,
) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon.", 0)
    await learn(stack)
    await _attack(stack, "I live in Rome.", times=2)
    await _say(stack, "chat", "I live in Rome.", 20)
    await learn(stack)
    [rome] = (await _profile(stack))["residence"]
    assert (rome.value, rome.state, rome.confidence) == ("Rome", SUSPECTED, 0.5)
    assert not rome.disputed
    assert rome.valid_from_time.ToDatetime(UTC).date() == day(20).date()


async def test_repeated_trusted_statement_settles_dispute_against_untrusted_value(
    stack: Stack,
) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon.", 0)
    await learn(stack)
    await _attack(stack, "I live in Rome.", times=2)
    request = ingest.AppendMessagesRequest(
        conversation=target("later", channel="chat", subject="emi"),
        messages=[message("I live in Lisbon.")],
    )
    await stack.ingest.AppendMessages(request)
    await learn(stack)
    await sleep(stack, None)
    [lisbon] = (await _profile(stack))["residence"]
    assert (lisbon.value, lisbon.state, lisbon.disputed) == ("Lisbon", CONFIRMED, False)
    assert (await _every(stack, "residence"))["Rome"].state == fact_pb2.FACT_STATE_REJECTED


async def test_untrusted_statement_does_not_reopen_fact_ended_by_trusted_source(
    stack: Stack,
) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I work at Acme.", 0, session="c")
    await _say(stack, "chat", "I quit my job.", 5, session="c")
    await learn(stack)
    await _attack(stack, "I work at Acme.")
    assert "employer" not in await _profile(stack)


async def test_remembering_an_untrusted_message_replaces_no_trusted_fact(stack: Stack) -> None:
    await _trust_mail_not(stack)
    since = Timestamp()
    since.FromDatetime(day(0))
    own = facts.RememberRequest(
        subject="emi", attribute="residence", value="Lisbon", valid_from_time=since
    )
    lisbon = (await stack.facts.Remember(own)).fact
    said = await _say(stack, "mail", "Emi lives in Rome.", 10)
    evidence = [fact_pb2.NewEvidence(message_id=said.messages[0].message_id, quote="Rome")]
    request = facts.RememberRequest(
        subject="emi", attribute="residence", value="Rome", evidence=evidence
    )
    remembered = await stack.facts.Remember(request)
    assert list(remembered.superseded) == []
    assert (remembered.fact.state, remembered.fact.memory_id) == (SUSPECTED, "")
    [held] = (await _profile(stack))["residence"]
    assert held.id == lisbon.id
    # A person's claim is trusted, even with an untrusted message as evidence.
    request.source = fact_pb2.FACT_SOURCE_PERSON
    remembered = await stack.facts.Remember(request)
    assert [fact.id for fact in remembered.superseded] == [lisbon.id]
    assert [f.value for f in (await _profile(stack))["residence"]] == ["Rome"]


async def test_confirmed_untrusted_fact_replaces_the_disputed_one(stack: Stack) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon.", 0)
    await learn(stack)
    await _attack(stack, "I live in Rome.", times=1)
    rome = (await _every(stack, "residence"))["Rome"]
    await stack.facts.ConfirmFact(facts.ConfirmFactRequest(fact_id=rome.id))
    [held] = (await _profile(stack))["residence"]
    assert (held.value, held.state) == ("Rome", CONFIRMED)
    await _attack(stack, "I live in Oslo.", begin=20, times=3)
    assert [f.value for f in (await _profile(stack))["residence"]] == ["Rome"]


async def test_profile_at_a_past_time_ignores_untrusted_statements(stack: Stack) -> None:
    await _trust_mail_not(stack)
    await _say(stack, "chat", "I live in Lisbon.", 0)
    await learn(stack)
    moment = Timestamp()
    moment.FromDatetime(datetime.now(UTC))
    await _attack(stack, "I have lived in Rome since 2019.", times=3)
    [then] = (await _profile(stack, known_at_time=moment))["residence"]
    assert (then.value, then.disputed) == ("Lisbon", False)
    now = Timestamp()
    now.FromDatetime(day(20))
    [later] = (await _profile(stack, valid_at_time=now))["residence"]
    assert (later.value, later.disputed) == ("Lisbon", True)
