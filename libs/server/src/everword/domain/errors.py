"""Every error that a caller may see.

EverwordError
├── InvalidArgument          INVALID_ARGUMENT
│   ├── InvalidPageToken
│   ├── InvalidConsistencyToken
│   ├── InvalidRegex
│   ├── DocumentUnreadable
│   └── CredentialRefused
├── Unauthenticated          UNAUTHENTICATED
├── AccessDenied             PERMISSION_DENIED: OutOfScope, WorkspaceFileProtected
├── NotFound                 NOT_FOUND: ConversationNotFound, MessageNotFound, MemoryNotFound, NamespaceNotFound, …
├── AlreadyExists            ALREADY_EXISTS: RequestIdConflict, ExternalIdConflict, SubjectConflict, …
├── NamespaceNotEmpty, AdminKeyNeeded, NotCalibrated, ChatNotConfigured, ContentErased, …    FAILED_PRECONDITION
├── LimitReached             RESOURCE_EXHAUSTED: RequestTooLarge, RegexTooExpensive, LoreTooExpensive, …, `quotas`
├── ConcurrentUpdate         ABORTED; other conflicts are in `conflicts`
├── WatchTokenExpired        OUT_OF_RANGE
├── Unavailable              UNAVAILABLE: StorageUnavailable, EmbedderUnavailable
├── DeadlineExceeded         DEADLINE_EXCEEDED
└── MethodUnknown            UNIMPLEMENTED

Each class knows its status code, its `ErrorReason`, and a message that says what to do; what varies goes into the
metadata. `everword.rpc` turns them into `google.rpc.Status`.
"""

from __future__ import annotations

from typing import ClassVar


class EverwordError(Exception):
    """An internal error occurred."""

    code: ClassVar[str] = "INTERNAL"
    reason: ClassVar[str] = "INTERNAL"
    retry_after_s: float | None = None

    def __init__(self, message: str = "", **metadata: object) -> None:
        self.message = message or (self.__doc__ or "").split("\n\n")[0]
        self.metadata = {key: str(value) for key, value in metadata.items()}
        super().__init__(self.message)


class InvalidArgument(EverwordError):
    """The request is not valid.

    `violations` holds (field path, description) pairs.
    """

    code = "INVALID_ARGUMENT"
    reason = "VALIDATION_FAILED"

    def __init__(
        self, message: str = "", violations: tuple[tuple[str, str], ...] = (), **metadata: object
    ) -> None:
        self.violations = violations
        # A rule about several fields has no path.
        summary = "; ".join(f"{field}: {text}".removeprefix(": ") for field, text in violations[:3])
        if violations:
            metadata["violations"] = len(violations)
        super().__init__(message or summary, **metadata)


class InvalidPageToken(InvalidArgument):
    """The page token is not one of this request's; start again without it."""

    reason = "PAGE_TOKEN_INVALID"


class InvalidConsistencyToken(InvalidArgument):
    """The consistency token was not issued by this deployment for this namespace."""

    reason = "CONSISTENCY_TOKEN_INVALID"


class InvalidRegex(InvalidArgument):
    """The regular expression does not compile."""

    reason = "REGEX_INVALID"


class DocumentUnreadable(InvalidArgument):
    """The file cannot be read."""

    reason = "DOCUMENT_UNREADABLE"


class Unauthenticated(EverwordError):
    """Send `authorization: Bearer KEY`."""

    code = "UNAUTHENTICATED"
    reason = "CREDENTIALS_MISSING"


class InvalidCredentials(Unauthenticated):
    """The API key is unknown or revoked."""

    reason = "CREDENTIALS_INVALID"


class AccessDenied(EverwordError):
    """The API key's role does not allow this call."""

    code = "PERMISSION_DENIED"
    reason = "ACCESS_DENIED"


class OutOfScope(AccessDenied):
    """The API key is bound to an agent or a subject, and this call reaches beyond it."""

    reason = "KEY_OUT_OF_SCOPE"


class WorkspaceFileProtected(AccessDenied):
    """This writer may not change this workspace file; only a person or the system may, with an operator's key."""

    reason = "WORKSPACE_FILE_PROTECTED"


class NotFound(EverwordError):
    """There is no such thing in this namespace."""

    code = "NOT_FOUND"
    reason = "MEMORY_NOT_FOUND"


class AlreadyExists(EverwordError):
    """It exists already."""

    code = "ALREADY_EXISTS"
    reason = "REQUEST_ID_CONFLICT"


class RequestIdConflict(AlreadyExists):
    """The request id was used before with another body; use a new one for a new request."""

    reason = "REQUEST_ID_CONFLICT"


class ExternalIdConflict(AlreadyExists):
    """The conversation has another message under this external id, and stored messages never change."""

    reason = "EXTERNAL_ID_CONFLICT"


class SubjectConflict(AlreadyExists):
    """The conversation is about another user than `subject`; use a session key of its own for each user."""

    reason = "SUBJECT_CONFLICT"


class NamespaceAlreadyExists(AlreadyExists):
    """The name of the namespace is taken."""

    reason = "NAMESPACE_ALREADY_EXISTS"


class NamespaceNotEmpty(EverwordError):
    """The text search configuration can change only while the namespace is empty; create another namespace for it."""

    code = "FAILED_PRECONDITION"
    reason = "NAMESPACE_NOT_EMPTY"


class AdminKeyNeeded(EverwordError):
    """Make an admin key first: from the first key on every call needs one, and only an admin can make more."""

    code = "FAILED_PRECONDITION"
    reason = "ADMIN_KEY_NEEDED"


class NotCalibrated(EverwordError):
    """No calibration exists here, so min_relevance cannot be applied; `everword calibrate` makes one."""

    code = "FAILED_PRECONDITION"
    reason = "NOT_CALIBRATED"


class ChatNotConfigured(EverwordError):
    """This deployment has no language model; set EVERWORD_CHAT_URL and EVERWORD_CHAT_MODEL, and start it again."""

    code = "FAILED_PRECONDITION"
    reason = "CHAT_NOT_CONFIGURED"


class LimitReached(EverwordError):
    """A limit is reached."""

    code = "RESOURCE_EXHAUSTED"
    reason = "OVERLOADED"


class RequestTooLarge(LimitReached):
    """The request exceeds the size limit of a message; send it in parts."""

    reason = "REQUEST_TOO_LARGE"


class RegexTooExpensive(LimitReached):
    """The regular expression did not finish in its time; anchor it, simplify it, or narrow the filter."""

    reason = "REGEX_TOO_EXPENSIVE"


class LoreTooExpensive(LimitReached):
    """Searching this text for the triggers of lorebooks takes too long; change or disable the named entry."""

    reason = "LORE_TOO_EXPENSIVE"


class Overloaded(LimitReached):
    """Too many concurrent calls; retry after a pause."""

    retry_after_s = 1.0


class GrantExhausted(LimitReached):
    """All calls of the grant were made; its creator can make another one."""

    reason = "GRANT_USED_UP"


class BudgetExceeded(LimitReached):
    """A limit of what models may cost is reached; call again when the month is over, or raise it by SetBudget."""

    reason = "BUDGET_EXCEEDED"

    def __init__(self, retry_after_s: float = 60.0, **metadata: object) -> None:
        super().__init__("", **metadata)
        self.retry_after_s = retry_after_s


class CheckpointLimitReached(LimitReached):
    """The conversation has as many names of checkpoints as it may; delete those of one."""

    reason = "CHECKPOINT_LIMIT_REACHED"


class ConcurrentUpdate(EverwordError):
    """The call lost against a concurrent one; repeat it."""

    code = "ABORTED"
    reason = "CONCURRENT_UPDATE"
    retry_after_s = 0.1


class OnLegalHold(EverwordError):
    """A legal hold keeps this data: see `everword retention hold list`, and end it with `… hold remove`."""

    code = "FAILED_PRECONDITION"
    reason = "LEGAL_HOLD"


class ContentErased(EverwordError):
    """The content of the request was erased. Leave it out, or store it again with a new request id or allow_erased."""

    code = "FAILED_PRECONDITION"
    reason = "CONTENT_ERASED"


class WatchTokenExpired(EverwordError):
    """Changes are not kept for as long as the resume token is old; list what there is, and watch again."""

    code = "OUT_OF_RANGE"
    reason = "WATCH_TOKEN_EXPIRED"


class Unavailable(EverwordError):
    """A part of Everword cannot be reached; repeat the call after a pause."""

    code = "UNAVAILABLE"
    reason = "STORAGE_UNAVAILABLE"
    retry_after_s = 1.0


class StorageUnavailable(Unavailable):
    """The database cannot be reached; repeat the call after a pause."""

    reason = "STORAGE_UNAVAILABLE"


class EmbedderUnavailable(Unavailable):
    """The embedding model is unavailable; words still find memories."""

    reason = "EMBEDDER_UNAVAILABLE"


class ChatUnavailable(Unavailable):
    """The language model does not answer; call again when its server is back."""

    reason = "CHAT_UNAVAILABLE"


class DeadlineExceeded(EverwordError):
    """The deadline passed; the work may still be done."""

    code = "DEADLINE_EXCEEDED"
    reason = "DEADLINE_EXCEEDED"


class MethodUnknown(EverwordError):
    """This service has no such RPC; the README lists which service has which."""

    code = "UNIMPLEMENTED"
    reason = "METHOD_UNKNOWN"


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
