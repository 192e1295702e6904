"""A model outage parks no job; a job that breaks the model does not wait for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer, ChatUnavailable
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from everword.domain.settings import NO_SECRET
from everword.jobs.store import StartedJob
from everword.jobs.task import DependencyUnavailable, JobRun
from everword_compactor.jobs.model_outage import HARMLESS, detect_model_outage
from support.scripted_chat import Reply, ScriptedChat, answer, cut_off, status, user_text

JOB = StartedJob(1, 1, "compact", "c", 1, 1, 1, None)
HARD = ChatRequest(task="leaf", system="", user="the text that breaks it", max_tokens=100)


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


def run_hard(server: ScriptedChat) -> None:
    """Ask the hard question in a job, with a client that does not retry."""
    settings = ChatSettings(server.url, server.model, NO_SECRET, pauses_s=())
    with closing(BlockingChat(settings)) as chat:

        def ask(run: JobRun) -> None:
            chat.complete(HARD, run.heartbeat)

        run = detect_model_outage(ask, chat, sleep=lambda seconds: None)
        run(JobRun(JOB, checkpoint=lambda: None, heartbeat=lambda: None))


def test_model_failing_for_all_requests_is_unavailable(server: ScriptedChat) -> None:
    server.always = status(503)
    with pytest.raises(DependencyUnavailable):
        run_hard(server)


@pytest.mark.parametrize("harmless", [answer("yes"), cut_off("ye")])
def test_model_failing_for_one_job_only_is_a_job_failure(
    server: ScriptedChat, harmless: Reply
) -> None:
    server.reply = lambda request: harmless if user_text(request) == HARMLESS.user else status(500)
    with pytest.raises(ChatUnavailable):
        run_hard(server)


def test_unusable_answer_is_a_job_failure(server: ScriptedChat) -> None:
    server.always = cut_off("half")
    with pytest.raises(BadAnswer):
        run_hard(server)
