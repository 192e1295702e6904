"""Namespaces: created, read, changed, listed."""

from __future__ import annotations

from unittest.mock import AsyncMock

import grpc
import psycopg
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as pb
from everword.v1 import erasure_service_pb2
from everword_ingest.namespaces import store
from support.callers import make_namespaces, within
from support.calls import append
from support.refusals import refused
from support.stack import Stack


async def _make(stack: Stack, name: str, **settings: object) -> pb.Namespace:
    chosen = pb.NamespaceSettings(**settings)  # type: ignore[arg-type]
    request = pb.CreateNamespaceRequest(namespace=pb.Namespace(name=name, settings=chosen))
    return (await stack.admin.CreateNamespace(request)).namespace


async def _update(stack: Stack, name: str, *paths: str, **settings: object) -> pb.Namespace:
    request = pb.UpdateNamespaceRequest(
        namespace=pb.Namespace(name=name, settings=pb.NamespaceSettings(**settings)),  # type: ignore[arg-type]
        update_mask=FieldMask(paths=[f"settings.{path}" for path in paths]),
    )
    return (await stack.admin.UpdateNamespace(request)).namespace


async def test_namespace_without_settings_gets_documented_defaults(stack: Stack) -> None:
    made = await _make(stack, "acme")
    assert made.settings == pb.NamespaceSettings(
        time_zone="UTC",
        day_cutoff_minutes=0,
        text_search_config="english",
        use_counting=pb.USE_COUNTING_USED,
        credentials=pb.CREDENTIAL_POLICY_MASK,
        sleep_atomicity=pb.SLEEP_ATOMICITY_SESSION,
    )
    found = await stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme"))
    assert found.namespace == made


async def test_get_namespace_returns_settings_unchanged(stack: Stack) -> None:
    settings = pb.NamespaceSettings(
        time_zone="Europe/Zurich",
        day_cutoff_minutes=300,
        text_search_config="german",
        use_counting=pb.USE_COUNTING_RETURNED,
        channel_policies={"discord": pb.ChannelPolicy(index=True, digest=True)},
        credentials=pb.CREDENTIAL_POLICY_KEEP,
        sleep_atomicity=pb.SLEEP_ATOMICITY_RUN,
        recalled_turns=0,
        recall_similarity=0.3,
        earlier_turns=12,
    )
    await stack.admin.CreateNamespace(
        pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme", settings=settings))
    )
    found = await stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme"))
    assert found.namespace.settings == settings


async def test_create_namespace_with_existing_name_is_refused(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    refusal = await refused(
        stack.admin.CreateNamespace(pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme")))
    )
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "NAMESPACE_ALREADY_EXISTS",
    )
    assert refusal.metadata["namespace"] == "acme"


async def test_create_namespace_that_cannot_store_its_voice_creates_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "set_voice", AsyncMock(side_effect=psycopg.OperationalError))
    namespace = pb.Namespace(
        name="acme", settings=pb.NamespaceSettings(voice=pb.Voice(identity="I am Lumen."))
    )
    request = pb.CreateNamespaceRequest(namespace=namespace)
    assert (await refused(stack.admin.CreateNamespace(request))).code == grpc.StatusCode.UNAVAILABLE
    monkeypatch.undo()
    created = (await stack.admin.CreateNamespace(request)).namespace
    assert created.settings.voice.identity == "I am Lumen."


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../UTC", "/etc/localtime", "Europe"])
async def test_invalid_time_zone_is_refused(stack: Stack, zone: str) -> None:
    refusal = await refused(_make(stack, "acme", time_zone=zone))
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.fields == {"namespace.settings.time_zone"}


async def test_an_unknown_text_search_configuration_is_refused_with_known_ones(
    stack: Stack,
) -> None:
    refusal = await refused(_make(stack, "acme", text_search_config="klingon'; --"))
    assert refusal.fields == {"namespace.settings.text_search_config"}
    assert "english, german" in refusal.violations["namespace.settings.text_search_config"]


async def test_an_update_changes_only_what_its_mask_names(stack: Stack) -> None:
    await _make(stack, "acme", time_zone="Europe/Zurich", day_cutoff_minutes=300)
    changed = await _update(
        stack, "acme", "day_cutoff_minutes", time_zone="Asia/Tokyo", day_cutoff_minutes=60
    )
    assert changed.settings.time_zone == "Europe/Zurich"
    assert changed.settings.day_cutoff_minutes == 60


async def test_day_cutoff_defaults_to_five_if_time_zone_is_set(stack: Stack) -> None:
    made = await _make(stack, "zoned", time_zone="Europe/Zurich")
    assert made.settings.day_cutoff_minutes == 300
    at_midnight = await _make(stack, "early", time_zone="Europe/Zurich", day_cutoff_minutes=0)
    assert at_midnight.settings.day_cutoff_minutes == 0
    assert (await _make(stack, "later")).settings.day_cutoff_minutes == 0
    changed = await _update(stack, "later", "time_zone", time_zone="Asia/Tokyo")
    assert changed.settings.day_cutoff_minutes == 300
    for name, cutoff in (("zoned", 300), ("early", 0)):
        changed = await _update(stack, name, "time_zone", time_zone="Asia/Tokyo")
        assert changed.settings.day_cutoff_minutes == cutoff


async def test_update_namespace_refuses_unknown_or_empty_update_mask(stack: Stack) -> None:
    refusal = await refused(_update(stack, "default", "name", time_zone="UTC"))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"update_mask"}
    empty = await refused(_update(stack, "default", time_zone="UTC"))
    assert empty.fields == {"update_mask"}


async def test_update_and_erasure_preview_of_unknown_namespace_are_not_found(stack: Stack) -> None:
    refusal = await refused(_update(stack, "nobody", "time_zone", time_zone="UTC"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")
    target = erasure_service_pb2.ErasureTarget(author="Zed")
    preview = erasure_service_pb2.PreviewErasureRequest(target=target)
    refusal = await refused(stack.erasures.PreviewErasure(preview, metadata=within("nobody")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")


async def test_the_text_search_configuration_changes_only_while_nothing_is_indexed(
    stack: Stack,
) -> None:
    changed = await _update(stack, "default", "text_search_config", text_search_config="german")
    assert changed.settings.text_search_config == "german"
    await append(stack, "Der Zug fährt um neun.")
    refusal = await refused(
        _update(stack, "default", "text_search_config", text_search_config="english")
    )
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "NAMESPACE_NOT_EMPTY",
    )
    same = await _update(stack, "default", "text_search_config", text_search_config="german")
    assert same.settings.text_search_config == "german"


async def test_namespaces_are_listed_by_name_page_by_page(stack: Stack) -> None:
    names = sorted([f"n{number}" for number in range(5)] + ["default"])
    await make_namespaces(stack, *(name for name in names if name != "default"))
    seen: list[str] = []
    token = ""
    for _ in range(3):
        page = await stack.admin.ListNamespaces(
            pb.ListNamespacesRequest(page_size=2, page_token=token)
        )
        seen += [namespace.name for namespace in page.namespaces]
        token = page.next_page_token
    assert (seen, token) == (names, "")
