"""Settings from environment variables, read once at start: typed, and refused by name if they are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class SettingError(Exception):
    """A setting is missing or wrong; the message names the variable and the expected value."""


class Environment:
    """Typed access to environment variables. An empty variable counts as unset."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def text(self, name: str, default: str = "") -> str:
        return self._variables.get(name) or default

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise SettingError(f"{name} is not set")
        return value

    def integer(self, name: str, default: int, minimum: int) -> int:
        text = self.text(name, str(default))
        try:
            value = int(text)
        except ValueError:
            raise SettingError(f"{name} is {text!r}, which is not a whole number") from None
        if value < minimum:
            raise SettingError(f"{name} is {value}; it must be at least {minimum}")
        return value

    def file(self, name: str) -> Path | None:
        """Return the path in `name`, or None if unset. Raises SettingError if the file does not exist."""
        text = self.text(name)
        if not text:
            return None
        path = Path(text)
        if not path.is_file():
            raise SettingError(f"{name} is {text!r}, and there is no such file")
        return path


class Secret:
    """A text that no representation shows."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret('…')" if self._value else "Secret('')"


NO_SECRET = Secret("")
