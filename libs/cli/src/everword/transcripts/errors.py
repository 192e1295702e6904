"""Errors of files that conversations are read from."""


class TranscriptError(Exception):
    """A file cannot be read as conversations; the message says where and why."""


class RecordError(TranscriptError):
    """One record of a file is malformed, for example a message of an unknown role; the rest can be read."""

    def __init__(self, place: str, reason: str) -> None:
        #: The place of the record and the reason, without lone surrogates, which cannot be printed.
        self.place, self.reason = (
            each.encode("utf-8", "replace").decode() for each in (place, reason)
        )
        super().__init__(f"{self.place}: {self.reason}")
