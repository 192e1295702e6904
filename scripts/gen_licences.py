"""Write docs/reference/licences.md: the dependencies of each service and their licences. `--check` compares instead.

Ends with an error for a licence that is not allowed.
"""

from __future__ import annotations

import sys

from scripts.gen_locks import ROOT
from scripts.licences import Component, components_by_image, is_allowed

PAGE = ROOT / "docs" / "reference" / "licences.md"
_HEAD = """# Licences

<!-- Written by `make locks` from deploy/requirements and the metadata of what these name. -->

What comes with each service beside Everword itself, which is under the licence in [LICENSE](../../LICENSE).
`make lint` fails for a licence that `scripts/licences.py` does not allow.
[Supply chain](../deployment.md#supply-chain) lists the other checks.

| distribution | version | licence | comes with |
|---|---|---|---|
"""


def page(by_image: dict[str, list[Component]]) -> str:
    """Return the page."""
    images: dict[Component, list[str]] = {}
    for image, found in by_image.items():
        for each in found:
            images.setdefault(each, []).append(image)
    services = set(by_image) - {"cli", "everword up"}
    rows = []
    for each, names in sorted(images.items(), key=lambda item: item[0].name):
        of = (
            "every service" + ", cli" * ("cli" in names)
            if services <= set(names)
            else ", ".join(names)
        )
        rows.append(f"| {each.name} | {each.version} | {each.licence} | {of} |\n")
    return _HEAD + "".join(rows)


def main() -> None:
    by_image = components_by_image()
    refused = {
        f"{each.name}: {each.licence or 'no licence'}"
        for found in by_image.values()
        for each in found
        if not is_allowed(each.licence)
    }
    if refused:
        sys.exit(f"not on the list of scripts/licences.py: {'; '.join(sorted(refused))}")
    text = page(by_image)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/reference/licences.md is out of date: run `make locks`")


if __name__ == "__main__":
    main()
