"""`make test-install`: installs services from their lock files into empty folders, twice, and runs them as deployed."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from install.prefix import IMAGES, install
from install.run import run


def main() -> None:
    names = sys.argv[1:] or list(IMAGES)
    if unknown := set(names) - set(IMAGES):
        sys.exit(
            f"{', '.join(sorted(unknown))}: there is no such image; there are {', '.join(IMAGES)}"
        )
    with tempfile.TemporaryDirectory(prefix="everword-install-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        prefixes = {}
        for name in names:
            begun = time.monotonic()
            prefixes[name] = install(name, folder / "opt" / name)
            taken = time.monotonic() - begun
            print(
                f"{name}: {prefixes[name].size >> 20} MiB, twice the same, {taken:.0f} s",
                flush=True,
            )
        run(folder, prefixes)
        for name, prefix in prefixes.items():
            prefix.check_untouched()
            print(f"{name}: runs, ends by itself, and has written nothing beside its code")


if __name__ == "__main__":
    main()
