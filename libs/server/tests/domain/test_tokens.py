"""Tokens that a caller kept."""

from __future__ import annotations

import pytest

from everword.domain.errors import InvalidConsistencyToken
from everword.domain.tokens import ConsistencyToken

SECRET = b"secret"


def test_consistency_token_is_read_in_current_and_previous_format() -> None:
    written = ConsistencyToken(7, "1/A0", 42)
    token = written.seal(SECRET)
    assert ConsistencyToken.read(SECRET, token, 7) == written
    assert ConsistencyToken.read(SECRET, token.partition(".")[2], 7) == written
    with pytest.raises(InvalidConsistencyToken):
        ConsistencyToken.read(SECRET, token, 8)
    with pytest.raises(InvalidConsistencyToken):
        ConsistencyToken.read(SECRET, token[:-3], 7)
    for place in (token + token, f"{'f' * 16}.{token.partition('.')[2]}", f".{token}"):
        with pytest.raises(InvalidConsistencyToken):
            ConsistencyToken.read(SECRET, place, 7)
