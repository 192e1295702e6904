"""The errors of the embedded stack; each message tells the user what to do."""


class EmbeddedError(Exception):
    """The embedded stack cannot run; the message says why and what to do about it."""


class StartError(EmbeddedError):
    """A process ended, or did not become ready in time, while it was being started."""
