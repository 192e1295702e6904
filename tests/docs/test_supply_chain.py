"""Dependencies are listed, have permitted licences, and appear in notices and SBOM."""

from __future__ import annotations

import base64
import hashlib
import inspect
import lzma
import sys
from importlib.resources import files

import pytest
from tiktoken_ext import openai_public

from scripts import gen_licences, licences
from scripts.gen_locks import IMAGES, locked
from scripts.gen_sbom import bill


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 AND (MIT OR GPL-3.0-only)", False),
        ("GPL-3.0-only OR BSD-3-Clause", True),
        ("BSD-3-Clause AND AGPL-3.0-only", False),
        ("Other/Proprietary License", False),
        ("", False),
    ],
)
def test_is_allowed_evaluates_licence_expression(licence: str, allowed: bool) -> None:
    assert licences.is_allowed(licence) is allowed


def test_licence_check_fails_and_names_packages_with_disallowed_licences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["gen_licences.py", "--check"])
    gen_licences.main()
    monkeypatch.setattr(licences, "ALLOWED", licences.ALLOWED - {"MPL-2.0"})
    with pytest.raises(SystemExit, match=r"certifi: MPL-2\.0; tqdm: MPL-2\.0 AND MIT"):
        gen_licences.main()


@pytest.mark.parametrize("image", IMAGES)
def test_sbom_lists_locked_packages_with_versions_and_hashes(image: str) -> None:
    lock = locked(image)
    made = bill(image)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert [each["name"] for each in made["components"]] == sorted(lock)
    for each in made["components"]:
        assert f"=={each['version']} " in lock[each["name"]]
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"
        digests = [kept["hashes"][0]["content"] for kept in each["externalReferences"]]
        assert digests
        assert all(f"sha256:{digest}" in lock[each["name"]] for digest in digests)
        assert each["licenses"][0]["expression"]


def test_packaged_vocabulary_has_hash_published_by_openai() -> None:
    packed = lzma.decompress(files("everword.text.tokens").joinpath("o200k.xz").read_bytes())
    original, place, rank = hashlib.sha256(), 0, 0
    while place < len(packed):
        after = place + 1 + packed[place]
        original.update(base64.b64encode(packed[place + 1 : after]) + f" {rank}\n".encode())
        place, rank = after, rank + 1
    assert original.hexdigest() in inspect.getsource(openai_public.o200k_base)
