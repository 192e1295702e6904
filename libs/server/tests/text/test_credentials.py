"""Credentials are masked, and what only looks like one is not."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from everword.text.credentials import MARK, mask_credentials, mask_parts, mask_passage
from everword.text.passages import split_passages
from support.planted import EVERYDAY, PLANTED, Planted, key_lines
from support.planted_keys import DEVELOPERS, ISSUED

KIB = 1024
#: Each is the worst that one of the forms can be given, over and over.
HOSTILE = (
    "a", "a.", "password=", "password ", 'password="', "password is ", "password a1b2c3d4 ", "token ", "bearer ",
    "secret_", "://a:", "-----BEGIN RSA PRIVATE KEY-----", f"-----BEGIN PRIVATE KEY-----\n{'A' * 64}\n", "mysql -p ",
    "pin a ", "login: a/", "cookie: ", "eyJ", "AKIA", "1234567890:AA", "İ", "key-", "pwd=/a", "/api/webhooks/1",
)  # fmt: skip


@pytest.mark.parametrize("planted", [*PLANTED, *ISSUED], ids=lambda planted: planted.name)
def test_a_credential_is_masked_and_nothing_is_left_to_mask(planted: Planted) -> None:
    masked = mask_credentials(planted.text)
    assert planted.secret not in masked
    assert MARK in masked
    assert mask_credentials(masked) == masked


def test_what_stands_around_it_stays() -> None:
    text = "The wifi password is Sommer2026! and the network is Guest, PR-482."
    assert (
        mask_credentials(text) == f"The wifi password is {MARK} and the network is Guest, PR-482."
    )
    assert (
        mask_credentials('{"password": "tiger-9", "id": 7}') == f'{{"password": "{MARK}", "id": 7}}'
    )
    url = "postgres://app:s3cr3tpw@db.internal:5432/orders"
    assert mask_credentials(url) == f"postgres://app:{MARK}@db.internal:5432/orders"


@pytest.mark.parametrize("text", [*EVERYDAY, *DEVELOPERS])
def test_everyday_identifiers_stay_as_they_are(text: str) -> None:
    assert mask_credentials(text) == text


def test_places_are_those_of_characters_whatever_stands_before() -> None:
    token = next(planted.secret for planted in PLANTED if planted.name == "GitLab")
    for before in ("äöü 😀 ", "İİİ ", "\ud800 ", "密码 "):
        assert mask_credentials(f"{before}{token} after") == f"{before}{MARK} after"
    assert mask_credentials("İ password: hunter2 after") == f"İ password: {MARK} after"


def test_a_passage_is_masked_by_the_words_around_it() -> None:
    key = next(planted for planted in PLANTED if planted.name == "private key")
    assert key.secret not in mask_passage(key.secret, key.text)
    assert mask_passage("keep it", key.text) == "keep it"
    assert mask_passage("hunter2 password: hunter2", "elsewhere") == f"hunter2 password: {MARK}"


def test_the_parts_of_a_text_are_masked_by_those_around_them() -> None:
    key = key_lines("RSA PRIVATE", 80)
    parts = split_passages(f"Before. {key}\nAfter.")
    masked = mask_parts(parts)
    assert len(masked) == len(parts) > 2
    assert not any(line in part for part in masked for line in key.splitlines())
    assert masked[0].startswith("Before. ")
    assert masked[-1].endswith("After.")
    assert mask_parts(["the password is ", "Perle_4477, ", "ok"]) == [
        "the password is ",
        f"{MARK}, ",
        "ok",
    ]
    assert mask_parts(["Nothing ", "", "here."]) == ["Nothing ", "", "here."]


def test_threads_may_mask_at_once() -> None:
    texts = [planted.text for planted in PLANTED]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(mask_credentials, texts)) == [mask_credentials(text) for text in texts]


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    """Linear: eight times as long takes about eight times as long, where the square would be 64."""
    mask_credentials(PLANTED[0].text)
    short, long = (unit * (size // len(unit)) for size in (8 * KIB, 64 * KIB))

    def taken(text: str) -> float:
        started = time.thread_time()
        mask_credentials(text)
        return time.thread_time() - started

    assert taken(long) < 30 * max(min(taken(short) for _ in range(3)), 0.005)
