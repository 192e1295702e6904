"""What may be wrong with a backup."""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why, and what to do."""
