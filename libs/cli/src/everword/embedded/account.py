"""The account PostgreSQL runs under when the user is root, whom PostgreSQL refuses."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from everword.embedded.errors import EmbeddedError

# Debian makes the first with its own PostgreSQL; every system has the second.
ACCOUNTS = ("postgres", "nobody")

# Capabilities to try in order, so that an account can pass through closed folders (a virtual environment or data under
# /root): none if all folders are open, then the weaker capability, then the one that containers leave to root.
RIGHTS = (None, "dac_read_search", "dac_override")


@dataclass(frozen=True, slots=True)
class Account:
    """An account other than the user's own."""

    uid: int
    gid: int

    def options(self, right: str | None) -> list[str]:
        """The options of setpriv(1) to run a program under this account, with one right or none."""
        options = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        if right is None:
            return options
        # Without no_setuid_fixup, access(2), which PostgreSQL uses to find its programs, ignores the capability: it
        # checks the real user, and drops the capabilities of a user that is not root.
        return [
            *options,
            f"--inh-caps=+{right}",
            f"--ambient-caps=+{right}",
            "--securebits=+no_setuid_fixup",
        ]


def account_for(folder: Path) -> Account | None:
    """Return the account to run as so that the folder is its own; None is the user's."""
    if os.geteuid() != 0:
        return None
    owner = folder.stat()
    if owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "PostgreSQL refuses to run as root, and there is no account 'postgres' or 'nobody' to run "
        "it under; run everword as a normal user"
    )


def privileges(account: Account, program: Path, folder: Path) -> list[str]:
    """Return the setpriv(1) options by which the account reaches a program and its own folder."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise EmbeddedError(
            "PostgreSQL refuses to run as root, and setpriv, which would run it under another "
            "account, is missing; install util-linux, or run everword as a normal user"
        )
    probe = ["sh", "-c", 'test -x "$0" && test -w "$1"', str(program), str(folder)]
    for right in RIGHTS:
        options = account.options(right)
        if (
            subprocess.run(
                [setpriv, *options, "--", *probe], cwd="/", capture_output=True
            ).returncode
            == 0
        ):
            return options
    raise EmbeddedError(
        f"PostgreSQL refuses to run as root, and the account {account.uid} that it would run under "
        f"cannot reach {program} or {folder}; open the folders above them (chmod o+x), move them "
        f"(--data, another virtual environment), or run everword as a normal user"
    )
