"""Write build/sbom: a bill of materials of each service in CycloneDX's JSON.

The same locks give the same files.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from scripts.gen_locks import IMAGES, ROOT
from scripts.licences import Component, components

FOLDER = ROOT / "build" / "sbom"


def bill(image: str) -> dict[str, Any]:
    """Return the bill of an image."""
    found = [_component(each) for each in components(image)]
    name = f"everword-{image}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name + json.dumps(found))}",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": name, "name": name}},
        "components": found,
    }


def _component(each: Component) -> dict[str, Any]:
    purl = f"pkg:pypi/{each.name}@{each.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": each.name,
        "version": each.version,
        "purl": purl,
        "licenses": [{"expression": each.licence}],
        # One of these is installed: which, the machine decides.
        "externalReferences": [
            {"type": "distribution", "url": purl, "hashes": [{"alg": "SHA-256", "content": digest}]}
            for digest in each.sha256
        ],
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for image in IMAGES:
        text = json.dumps(bill(image), indent=1) + "\n"
        FOLDER.joinpath(f"{image}.cdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
