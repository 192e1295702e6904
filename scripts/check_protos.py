"""Lint the protos and compare them with main's, by buf.

buf cannot fetch validate.proto here, so it is given images: what protoc made of this tree, and the protoset that main
has committed. Exits with buf's status. Given a protoset, only compares that one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOSET = "libs/everword/src/everword/everword.protoset"
BUF = Path(sys.executable).parent / "buf"
LINT = {
    "version": "v2",
    "lint": {"use": ["STANDARD", "COMMENTS"], "disallow_comment_ignores": True},
}
# Callers of the public interface keep working without a change to their code: nothing of it goes, moves or is renamed.
# The internal one keeps what is on the wire.
BREAKING = {"everword/v1": "FILE", "everword/internal": "WIRE"}


def buf(*arguments: str) -> int:
    return subprocess.run([BUF, *arguments], cwd=ROOT, check=False).returncode


def main_protoset() -> bytes | None:
    """Return the protoset that main has, or None where there is no main yet."""
    for ref in ("origin/main", "main"):
        shown = subprocess.run(
            ["git", "show", f"{ref}:{PROTOSET}"], cwd=ROOT, capture_output=True, check=False
        )
        if shown.returncode == 0:
            return shown.stdout
    return None


def breaking(protoset: Path = ROOT / PROTOSET) -> int:
    """Compare a protoset with main's, and return buf's status: 0 where no caller breaks."""
    committed = main_protoset()
    if committed is None:
        print("buf breaking: main has no protoset yet, so nothing can break")
        return 0
    base = ROOT / "build" / "main.binpb"
    base.parent.mkdir(exist_ok=True)
    base.write_bytes(committed)
    status = 0
    for path, rules in BREAKING.items():
        config = json.dumps({"version": "v2", "breaking": {"use": [rules]}})
        status |= buf(
            "breaking", f"{protoset}#format=binpb", "--against", f"{base}#format=binpb",
            "--path", path, "--config", config, "--against-config", config,
        )  # fmt: skip
    return status


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(breaking(Path(sys.argv[1])))
    lint = buf(
        "lint", f"{PROTOSET}#format=binpb", "--path", "everword", "--config", json.dumps(LINT)
    )
    formatted = buf("format", "protos", "--diff", "--exit-code")
    sys.exit(lint | formatted | breaking())
