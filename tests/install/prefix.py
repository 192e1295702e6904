"""A service, installed by deploy/install.sh into a folder."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.documents import ROOT

IMAGES = tuple(sorted({path.stem for path in ROOT.glob("deploy/requirements/*.txt")} - {"build"}))


@dataclass(frozen=True)
class Prefix:
    """A folder that a service was installed into."""

    name: str
    folder: Path
    digest: str
    size: int

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)

    def check_untouched(self) -> None:
        """End the process if a file was changed, added or removed since the installation."""
        if digest_of(self.folder) != self.digest:
            sys.exit(f"{self.name}: files below {self.folder} changed while it ran")


def install(name: str, folder: Path) -> Prefix:
    """Install a service twice; end the process if the two have different files."""
    digests = set()
    for _ in range(2):
        subprocess.run([ROOT / "deploy" / "install.sh", name, folder], check=True)
        digests.add(digest_of(folder))
    if len(digests) > 1:
        sys.exit(f"{name}: installed twice, it is not the same")
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return Prefix(name, folder, digests.pop(), sum(path.stat().st_size for path in files))


def digest_of(folder: Path) -> str:
    """Return a digest of a folder's content: names, kinds, permissions, times and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name} {about.st_mode:o} {about.st_mtime}\n".encode())
        if path.is_symlink():
            digest.update(str(path.readlink()).encode())
        elif path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
