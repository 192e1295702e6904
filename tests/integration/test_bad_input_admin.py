"""Invalid requests of operators are refused and change nothing."""

from __future__ import annotations

import pytest

from everword.v1 import admin_service_pb2 as admin
from support.cases import Case
from support.stack import Stack

ADMINISTRATION: dict[str, Case] = {
    "a namespace with a capital": Case(
        lambda s: s.admin.CreateNamespace(
            admin.CreateNamespaceRequest(namespace=admin.Namespace(name="Acme"))
        ),
        "namespace.name",
    ),
    "a namespace with a name of 64 characters": Case(
        lambda s: s.admin.CreateNamespace(
            admin.CreateNamespaceRequest(namespace=admin.Namespace(name="x" * 64))
        ),
        "namespace.name",
    ),
    "a namespace with a line break": Case(
        lambda s: s.admin.CreateNamespace(
            admin.CreateNamespaceRequest(namespace=admin.Namespace(name="acme\n"))
        ),
        "namespace.name",
    ),
    "a day that begins in the evening": Case(
        lambda s: s.admin.CreateNamespace(
            admin.CreateNamespaceRequest(
                namespace=admin.Namespace(
                    name="acme", settings=admin.NamespaceSettings(day_cutoff_minutes=721)
                )
            )
        ),
        "namespace.settings.day_cutoff_minutes",
    ),
    "NUL in the name of a channel": Case(
        lambda s: s.admin.CreateNamespace(
            admin.CreateNamespaceRequest(
                namespace=admin.Namespace(
                    name="acme",
                    settings=admin.NamespaceSettings(
                        channel_policies={"\0": admin.ChannelPolicy(index=True)}
                    ),
                )
            )
        ),
        "namespace.settings.channel_policies (a key)",
    ),
    "a key without a role": Case(
        lambda s: s.admin.CreateApiKey(
            admin.CreateApiKeyRequest(api_key=admin.ApiKey(namespace="default"))
        ),
        "api_key.role",
    ),
    "a key that is described at length": Case(
        lambda s: s.admin.CreateApiKey(
            admin.CreateApiKeyRequest(
                api_key=admin.ApiKey(
                    namespace="default", role=admin.API_KEY_ROLE_READ, description="x" * 257
                )
            )
        ),
        "api_key.description",
    ),
    "a key's malformed id": Case(
        lambda s: s.admin.RevokeApiKey(admin.RevokeApiKeyRequest(api_key_id="first")),
        "api_key_id",
    ),
    "a negative page size": Case(
        lambda s: s.admin.ListNamespaces(admin.ListNamespacesRequest(page_size=-1)), "page_size"
    ),
    "a page token from nowhere": Case(
        lambda s: s.admin.ListNamespaces(admin.ListNamespacesRequest(page_token="bm93aGVyZQ")),
        None,
        reason="PAGE_TOKEN_INVALID",
    ),
    "a page token that is no base64": Case(
        lambda s: s.admin.ListApiKeys(admin.ListApiKeysRequest(page_token="¿?")),
        None,
        reason="PAGE_TOKEN_INVALID",
    ),
}


@pytest.mark.parametrize("name", ADMINISTRATION)
async def test_invalid_admin_requests_are_refused_and_change_nothing(
    stack: Stack, name: str
) -> None:
    await ADMINISTRATION[name].check(stack)
