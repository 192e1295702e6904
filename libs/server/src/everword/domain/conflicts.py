"""Conflicts of writers who expected another version than the one that is there."""

from __future__ import annotations

from everword.domain.errors import EverwordError


class NoteVersionConflict(EverwordError):
    """The note is not at the version that was expected; read it, and write again."""

    code = "ABORTED"
    reason = "NOTE_VERSION_CONFLICT"


class DocumentVersionConflict(EverwordError):
    """The document is not at the version that was expected; read it, and write again."""

    code = "ABORTED"
    reason = "DOCUMENT_VERSION_CONFLICT"


class CheckpointVersionConflict(EverwordError):
    """The latest checkpoint of this name is not the one that was expected; read it, and save again."""

    code = "ABORTED"
    reason = "CHECKPOINT_VERSION_CONFLICT"
