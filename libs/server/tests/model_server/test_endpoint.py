"""The address of a model server, as read from settings."""

from __future__ import annotations

import pytest

from everword.domain.settings import SettingError
from everword.model_server.endpoint import root_of


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings", "/v1/chat/completions"])
def test_root_of_accepts_an_endpoint_with_or_without_api_path(path: str) -> None:
    assert root_of(f"http://h:1{path}", "it") == "http://h:1"


def test_root_of_keeps_a_path_before_the_api() -> None:
    assert root_of("https://h/models/v1", "it") == "https://h/models"


@pytest.mark.parametrize(
    "endpoint", ["", "localhost:8000", "redis://h", "http://", "http://h:port"]
)
def test_root_of_refuses_an_invalid_url_and_names_the_setting(endpoint: str) -> None:
    with pytest.raises(SettingError, match=r"^the endpoint is .* it must be a URL"):
        root_of(endpoint, "the endpoint")
