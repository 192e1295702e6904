"""The error of a file that cannot be read as conversations."""


class TranscriptError(Exception):
    """A file cannot be read as conversations; the message says where and why."""
