"""Reading the refusals of a model server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from everword.model_server.refusals import message_of, pause_of, words_without


def test_pause_of_reads_seconds_or_a_date_up_to_a_limit() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert pause_of("1.5", 60) == 1.5
    assert pause_of(soon, 60) == pytest.approx(20, abs=2)
    assert pause_of("86400", 60) == 60
    assert pause_of("-1", 60) == 0


@pytest.mark.parametrize("header", [None, "", "soon", "nan", "inf"])
def test_pause_of_invalid_header_is_none(header: str | None) -> None:
    assert pause_of(header, 60) is None


@pytest.mark.parametrize("body", [{"error": {"message": "no"}}, {"error": "no"}, {"detail": "no"}])
def test_message_of_reads_three_error_formats(body: object) -> None:
    assert message_of(body) == "no"


@pytest.mark.parametrize("body", [None, [], "no", {}, {"error": {"message": 7}}, {"detail": [1]}])
def test_message_of_other_bodies_is_empty(body: object) -> None:
    assert message_of(body) == ""


def test_words_without_drops_messages_that_repeat_the_text() -> None:
    assert words_without("cannot read: my password is hunter2", ["my password is hunter2"]) == ""
    assert words_without("too\n long ", ["my password is hunter2"]) == "too long"
