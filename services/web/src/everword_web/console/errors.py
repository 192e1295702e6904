"""Messages for visitors about failed calls: a sentence that says what to do."""

from __future__ import annotations

import grpc

from everword.client import CallError

_Code = grpc.StatusCode
#: By code: the HTTP status, the title of the page, and what to do.
_OF_CODE = {
    _Code.NOT_FOUND: (404, "Not here", "It may have been erased, or be of another namespace."),
    _Code.INVALID_ARGUMENT: (400, "Not understood", "Change what you asked for."),
    _Code.OUT_OF_RANGE: (400, "Not understood", "Start again at the first page."),
    _Code.FAILED_PRECONDITION: (400, "Not possible now", ""),
    _Code.PERMISSION_DENIED: (403, "Not with this key", "Sign in with a key that may do it."),
    _Code.ABORTED: (
        409,
        "Changed meanwhile",
        "Load the page again, look at what changed, and repeat your change.",
    ),
    _Code.ALREADY_EXISTS: (409, "Already there", ""),
    _Code.RESOURCE_EXHAUSTED: (429, "Too much at once", "Wait a moment, then load it again."),
    _Code.UNAVAILABLE: (503, "Everword cannot be reached", "Try again in a moment."),
    _Code.DEADLINE_EXCEEDED: (504, "It took too long", "Ask for less, or try again in a while."),
    _Code.UNIMPLEMENTED: (501, "Not there yet", "The service is older than this console."),
}
_OTHER = (500, "Something failed", "Look for the request's id in the logs of the service.")


def explain(error: CallError) -> tuple[int, str, list[str]]:
    """Return the HTTP status, the title, and sentences for the visitor."""
    status, title, advice = _OF_CODE.get(error.code, _OTHER)
    if error.is_unanswered:
        said = (
            f"Nothing answers at {error.address}: is the service running, and is this its address?"
        )
    else:
        said = error.message.strip().rstrip(".") + "."
    if error.retry_after_s is not None:
        advice = f"It can be tried again in {error.retry_after_s:g} s."
    return status, title, [sentence for sentence in (said, *error.broken_rules, advice) if sentence]
