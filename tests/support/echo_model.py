"""Messages with credentials, and models that repeat everything in their prompts in all derived texts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.jobs.task import Task
from everword.text.credentials import MARK
from everword.v1 import admin_service_pb2 as admin
from everword_compactor.compose.model import Composer, Composition, Draft
from everword_compactor.learning.job import Learning
from everword_compactor.themes.job import schedule_themes, with_themes
from support.background import embed_everything
from support.calendar_calls import update_settings
from support.calls import append, append_request, message, target
from support.compaction import (
    ScriptedComposer,
    compact_everything,
    roll_up_everything,
    work,
    worker_context,
)
from support.learning import learn, say
from support.planted_credentials import PLANTED, key_lines
from support.scripted_chat import Body, Reply
from support.sleep_calls import Mind, Records, fact_line, pass_night, sleep
from support.stack import Stack
from support.tool_calls import tool_call, write_pending_sentences

_WORD = re.compile(r"\b[a-z]{4,}\b")
_PLANTED = {planted.name: planted for planted in PLANTED}
GITHUB, BEARER = _PLANTED["GitHub"], _PLANTED["bearer"]
#: A key that spans several passages.
_KEY = key_lines("RSA PRIVATE", 80)
#: Text without a sentence end, cut between a password's name and the password.
_JSON = ", ".join(f'"field{n}": "{n}"' for n in range(59))
TALK = (
    "The wifi password is Sommer2026! and the network is Guest. I live in Lisbon.",
    "My favourite password is Zebra-9931x! and my favourite colour is green.",
    f"My brother Rui says that {GITHUB.secret} opens the harbour model of Ana.",
    "Tomorrow I start a new job at Acme, the root password is Winter2027? for Ana.",
    "Ana works at Initech, her password: Kupfer-88z",
    "Ana uses postgres://app:s3cr3tpw@db.internal:5432/orders for all that.",
    f"Here is my key:\n{_KEY}\nkeep it.",
    f'{{{_JSON}, "is password": "Perle_4477"}}',
)
#: Secrets that must not be kept, in any form, in an index either.
SECRETS = (
    *("Sommer2026", "Zebra-9931x", "Winter2027", "Kupfer-88z", "s3cr3tpw", "Perle_4477"),
    *(GITHUB.secret, BEARER.secret),
    *(_KEY.splitlines()[n] for n in (1, 40, -2)),
)
DIGESTED = "discord"
SUBJECT = "emi"


def held(*texts: str) -> set[str]:
    """Return the credentials contained in texts, in any case."""
    whole = "\n".join(texts).lower()
    return {secret for secret in SECRETS if secret.lower() in whole}


class EchoComposer(ScriptedComposer):
    """Writes its sources down in full."""

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        content = "\n".join(f"- {source.text}" for source in draft.sources)
        return replace(super().compose(draft, heartbeat), content=content)


@dataclass
class EchoMind(Mind):
    """A model that copies everything in its prompt into its answer, word for word."""

    answers: dict[str, Any] = field(default_factory=lambda: dict(ECHOES))
    #: Requests so far, as they were sent.
    sent: list[str] = field(default_factory=list)

    def reply(self, body: Body) -> Reply:
        self.sent.append(json.dumps(body["messages"], ensure_ascii=False))
        return super().reply(body)


def _text_sort_key(text: str) -> tuple[bool, int]:
    """Return a sort key: texts with a masked credential first, the shortest first among them."""
    return MARK not in text, len(text)


def _observe(records: Records) -> Any:
    texts = [each["text"].replace("|", " ") for each in records["messages"]]
    return {
        "facts": [
            fact_line("note", text[:90].strip(), "Rui" if "Rui" in text else "") for text in texts
        ]
    }


def _name_topics(records: Records) -> Any:
    return {"topics": [each["text"][:60] for each in records["messages"][:3]]}


def _infer(records: Records) -> Any:
    told = [(o, each["text"]) for o, each in enumerate(records["observations"], 1)]
    return {
        "inferences": [
            # One word differs: a value that is stated is not inferred as well.
            {"attribute": f"habit {o}", "value": _WORD.sub("often", text, 1), "why": text}
            | {"because": [o]}
            for o, text in told[:5]
        ]
    }


def _name(records: Records) -> Any:
    return {
        "people": [
            {
                "o": each["o"],
                "name": "Rui",
                "relation": "brother",
                "status": "",
                "words": each["text"],
            }
            for each in records["observations"]
            if "Rui" in each["text"]
        ]
    }


def _happen(records: Records) -> Any:
    told = [each for each in records["observations"] if "new job" in each["text"]]
    times = {"start": "", "end": "", "importance": 0.9, "decay_days": 365}
    return {
        "events": [
            {"o": each["o"], "title": each["text"], "category": "work", **times}
            | {"status": "", "words": ""}
            for each in told
        ]
    }


def _confirm(records: Records) -> Any:
    facts = records["facts"]
    return {"confirmed": [{"fact": n, "reason": fact["value"]} for n, fact in enumerate(facts, 1)]}


def _link(records: Records) -> Any:
    first, second, *_ = records["facts"]
    reason = min((each["value"] for each in records["facts"]), key=_text_sort_key)
    shown = {"relation": "supports", "confidence": 0.9, "reason": reason}
    return {"edges": [{"from": first["fact"], "to": second["fact"], **shown}]}


def _describe(records: Records) -> Any:
    quotes = [{"n": each["n"], "words": each["text"]} for each in records["messages"][:5]]
    return {"traits": [{"dimension": "directness", "value": "direct", "quotes": quotes}]}


def _record_prompts(records: Records) -> Any:
    known = sorted(records["known"], key=lambda each: _text_sort_key(each["text"]))
    texts = [{"text": each["text"], "because": [each["r"]]} for each in known[:3]]
    lists = dict.fromkeys(("anchors", "volatile_areas", "predicted_shifts"), texts)
    fields = dict.fromkeys(("phase", "direction", "momentum", "summary"), texts[0])
    return {**fields, **lists, "stability": "stable"}


def _write(records: Records) -> Any:
    shown = [*records["leaves"], *records["facts"]][:3]
    return {
        "sections": [
            {"heading": "Said", "text": each["text"][:1_000], "sources": [each["number"]]}
            for each in shown
        ]
    }


#: Builds the answer from the prompt's records, by task.
ECHOES: dict[str, Callable[[Records], Any]] = {
    "sleep-observe": _observe,
    "sleep-topics": _name_topics,
    "sleep-behaviour": _infer,
    "sleep-people": _name,
    "sleep-events": _happen,
    "sleep-confirm": _confirm,
    "sleep-edges": _link,
    "sleep-user-model": _describe,
    "sleep-trajectory": _record_prompts,
    "topic-page": _write,
}


async def talk(stack: Stack) -> None:
    """Write all texts in three conversations of one subject, in a digested channel, and in a tool call."""
    policy = admin.ChannelPolicy(index=True, roll_up=True, digest=True)
    await update_settings(stack, channel_policies={DIGESTED: policy})
    for number in range(3):
        for text in TALK:
            await say(stack, text, number, subject=SUBJECT, session=f"s{number}")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    digested = append_request(*(message(text, create_time=yesterday) for text in TALK))
    digested.conversation.CopyFrom(target("d", channel=DIGESTED))
    await stack.ingest.AppendMessages(digested)
    arguments = json.dumps({"command": BEARER.text})
    result = f'{{"token": "{BEARER.secret}"}}'
    call = tool_call(name="bash", tool_args=arguments, tool_result=result)
    await append(stack, call, session_key="tools")


async def derive(stack: Stack, mind: Mind | None, composer: Composer | None = None) -> None:
    """Run all jobs that derive data from messages, including the nightly ones.

    Without `mind`, no language model is configured. `composer` writes summaries; by default it repeats its sources.
    """
    composer = composer or EchoComposer()
    await compact_everything(stack, composer)
    await write_pending_sentences(stack)
    for days in (0, 1):
        await learn(stack, mind=mind, now=datetime.now(UTC) + timedelta(hours=days))
        await sleep(stack, mind, datetime.now(UTC) + timedelta(hours=2 + 30 * days))
        pass_night(stack)
    await roll_up_everything(stack, composer)
    await embed_everything(stack)
    await asyncio.to_thread(_find_themes, stack)
    await embed_everything(stack)


def _find_themes(stack: Stack) -> None:
    with worker_context(stack.database) as shop:
        schedule_themes(shop, 1)
        task = Task("learn", with_themes(shop, Learning(shop).run), pauses_s=(0.0,))
        work(stack.database, shop.database, task, datetime.now(UTC) + timedelta(days=2))
