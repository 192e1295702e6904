"""Conflicts of writers who expected another version than the one that is there."""

from __future__ import annotations

from everword.domain.errors import EverwordError


class VersionConflict(EverwordError):
    """Something is not at the version that was expected; read it, and write again."""

    code = "ABORTED"


class NoteVersionConflict(VersionConflict):
    """The note is not at the version that was expected; read it, and write again."""

    reason = "NOTE_VERSION_CONFLICT"


class DocumentVersionConflict(VersionConflict):
    """The document is not at the version that was expected; read it, and write again."""

    reason = "DOCUMENT_VERSION_CONFLICT"


class CheckpointVersionConflict(VersionConflict):
    """The latest checkpoint of this name is not the one that was expected; read it, and save again."""

    reason = "CHECKPOINT_VERSION_CONFLICT"
