"""Lookup of channel policies by exact name and by prefix."""

from __future__ import annotations

import pytest

from everword.domain.channels import ChannelPolicies, find_policy, is_channel_pattern
from everword.domain.trust import TrustPolicy

POLICIES = {
    "discord": {"index": True},
    "discord/*": {"index": False},
    "discord/gardeners/*": {"index": True, "learn": False},
    "discord/gardeners/seeds": {"index": False, "learn": True},
}


@pytest.mark.parametrize(
    ("channel", "name"),
    [
        ("discord", "discord"),
        ("discord/general", "discord/*"),
        ("discord/", "discord/*"),
        ("discord/gardeners/general", "discord/gardeners/*"),
        ("discord/gardeners/seeds", "discord/gardeners/seeds"),
        ("discord/gardeners/seeds/old", "discord/gardeners/*"),
    ],
)
def test_find_policy_takes_the_exact_name_then_the_longest_prefix(channel: str, name: str) -> None:
    assert find_policy(POLICIES, channel) == POLICIES[name]


@pytest.mark.parametrize("channel", ["", "Discord", "discord2", "slack", "a/discord/general"])
def test_find_policy_without_a_match_is_empty(channel: str) -> None:
    assert find_policy(POLICIES, channel) == {}


def test_star_alone_matches_every_channel_without_a_longer_match() -> None:
    policies = {"*": {"index": False}, "cli*": {"index": True}, "": {"index": True}}
    assert [ChannelPolicies(policies).indexes(each) for each in ("x", "cli", "cli-2", "")] == [
        *(False, True, True, True)
    ]


def test_unset_fields_follow_index_except_roll_up() -> None:
    kept_out = ChannelPolicies({"a": {"index": False, "roll_up": True}})
    assert not any(each("a") for each in (kept_out.indexes, kept_out.learns, kept_out.summarizes))
    assert kept_out.rolls_up("a")
    assert all(each("b") for each in (kept_out.indexes, kept_out.learns, kept_out.summarizes))
    learned = ChannelPolicies({"a": {"index": False, "learn": True}})
    assert (learned.learns("a"), learned.summarizes("a")) == (True, False)
    forgotten = ChannelPolicies({"a": {"index": True, "learn": False, "summarize": False}})
    assert (forgotten.indexes("a"), forgotten.learns("a"), forgotten.summarizes("a")) == (
        *(True, False, False),
    )


def test_trust_policy_applies_to_matching_channels_only() -> None:
    trust = TrustPolicy({"mail/*": {"untrusted": True, "quarantine": True}})
    assert trust.is_open("mail/support")
    assert trust.leaves_out("mail/support")
    assert not trust.is_open("mail")


@pytest.mark.parametrize("name", ["", "a", "*", "a*", "discord/*", "a/b/*"])
def test_channel_pattern_may_be_a_name_or_a_prefix_with_star(name: str) -> None:
    assert is_channel_pattern(name)


@pytest.mark.parametrize("name", ["**", "*a", "a*b", "a*b*", "discord/*/general"])
def test_channel_pattern_with_star_before_the_end_is_invalid(name: str) -> None:
    assert not is_channel_pattern(name)
