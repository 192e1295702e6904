"""Lint the protos and compare them with main's, by buf and the rules in buf.yaml.

Exits with buf's status. `--breaking` only compares.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUF = Path(sys.executable).parent / "buf"
#: Paths that a commit must have for buf to build its protos.
SOURCES = ("buf.yaml", "protos")
VALIDATE = "protos/third_party/buf/validate/validate.proto"
#: The API before this file was not final, and nothing had been released: its callers may break.
FINAL = "protos/public/everword/v1/fact_query_service.proto"


def buf(*arguments: str) -> int:
    return subprocess.run([BUF, *arguments], cwd=ROOT, check=False).returncode


def main_commit() -> str | None:
    """Return the commit of main; None if there is none yet, or none with the final API whose protos buf can build."""

    def has(ref: str, path: str) -> bool:
        command = ["git", "cat-file", "-e", f"{ref}:{path}"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0

    refs = (ref for ref in ("origin/main", "main") if has(ref, VALIDATE) and has(ref, FINAL))
    return next(refs, None)


def breaking() -> int:
    """Compare the protos with main's, and return buf's status: 0 if no caller breaks."""
    commit = main_commit()
    if commit is None:
        print("buf breaking: main does not have the final API yet, so nothing can break")
        return 0
    # A worktree or a shallow clone is no repository that buf can clone from.
    base = ROOT / "build" / "main.tar"
    base.parent.mkdir(exist_ok=True)
    subprocess.run(["git", "archive", "-o", base, commit, *SOURCES], cwd=ROOT, check=True)
    return buf("breaking", "--against", str(base))


if __name__ == "__main__":
    if "--breaking" in sys.argv:
        sys.exit(breaking())
    formatted = buf("format", "--diff", "--exit-code")
    sys.exit(buf("lint") | formatted | breaking())
