"""Ways of ranking to compare: a name and fields of a SearchRequest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from everword.client.kinds import kind_number
from everword.v1 import search_service_pb2 as pb

PAGE_SIZE = 50
#: The server's default profile.
DEFAULT_PROFILE = "recall"


@dataclass(frozen=True)
class Variant:
    """A way of ranking."""

    name: str
    #: Fields of SearchRequest.
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_explained(self) -> bool:
        """Return whether responses have explanations of their scores."""
        return bool(self.fields.get("explain"))

    def request(self, query: str) -> pb.SearchRequest:
        return pb.SearchRequest(query=query, page_size=PAGE_SIZE, **self.fields)


#: Each arm alone.
ARMS = (
    Variant("lexical", {"mode": pb.SEARCH_MODE_LEXICAL}),
    Variant("semantic", {"mode": pb.SEARCH_MODE_SEMANTIC}),
    Variant("trigram", {"mode": pb.SEARCH_MODE_TRIGRAM}),
)

#: Everything together, by each profile.
PROFILES = (
    Variant("recall", {"mode": pb.SEARCH_MODE_HYBRID, "profile": "recall"}),
    Variant("balanced", {"mode": pb.SEARCH_MODE_HYBRID, "profile": "balanced"}),
)

#: Variants of the ablation, in the order of its tables.
ABLATION = (*ARMS, *PROFILES)


def of_profile(profile: str) -> Variant:
    """Return everything together by a profile; an empty one is the server's default."""
    return Variant(profile or DEFAULT_PROFILE, {"profile": profile})


def of_mode(mode: str, profile: str) -> Variant:
    """Return the variant of a mode; HYBRID goes by a profile."""
    if mode == "hybrid":
        return of_profile(profile)
    return Variant(mode, {"mode": pb.SearchMode.Value(f"SEARCH_MODE_{mode.upper()}")})


def of_messages(variant: Variant) -> Variant:
    """Return a variant that asks for messages alone: summaries that are made meanwhile take no places."""
    # A dict rather than a protobuf message, because the identity of a run is stored as JSON.
    requested = {"kinds": [kind_number("message")]}
    return replace(variant, fields={**variant.fields, "filter": requested})
