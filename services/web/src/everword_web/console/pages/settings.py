"""Settings of the namespace that people write: the voice of its summaries."""

from __future__ import annotations

from google.protobuf.field_mask_pb2 import FieldMask
from starlette.responses import Response

from everword.v1 import admin_service_pb2 as pb
from everword_web.console.values import BadInputError
from everword_web.console.visits import Visit

_DEFAULT_NAMESPACE = "default"
_SEPARATOR = "="


async def show(visit: Visit) -> Response:
    """Show the voice of summaries, as a form."""
    voice = await _voice(visit)
    handles = [f"{handle} {_SEPARATOR} {name}" for handle, name in sorted(voice.handles.items())]
    saved = bool(visit.values.text("saved"))
    return visit.page("settings.html", voice=voice, handles="\n".join(handles), saved=saved)


async def save_voice(visit: Visit) -> Response:
    """Set the voice of summaries; the instructions on channels stay."""
    form = visit.form
    voice = pb.Voice(
        # Browsers end lines with both characters.
        identity=form.text("identity").replace("\r\n", "\n"),
        user_name=form.text("user_name"),
        pronouns=form.text("pronouns"),
        channel_instructions=(await _voice(visit)).channel_instructions,
        handles=_handles(form.text("handles")),
    )
    request = pb.UpdateNamespaceRequest(
        namespace=pb.Namespace(name=_namespace(visit), settings=pb.NamespaceSettings(voice=voice)),
        update_mask=FieldMask(paths=["settings.voice"]),
    )
    await visit.call(visit.client.admin_service.UpdateNamespace, request)
    return visit.go("/settings?saved=1")


async def _voice(visit: Visit) -> pb.Voice:
    request = pb.GetNamespaceRequest(name=_namespace(visit))
    found = await visit.call(visit.client.admin_service.GetNamespace, request)
    voice: pb.Voice = found.namespace.settings.voice
    return voice


def _namespace(visit: Visit) -> str:
    return visit.credentials.namespace or _DEFAULT_NAMESPACE


def _handles(text: str) -> dict[str, str]:
    """Return names by handle from lines such as `heron7 = Emi`. Raises BadInputError."""
    handles = {}
    for line in filter(str.strip, text.splitlines()):
        handle, found, name = (part.strip() for part in line.partition(_SEPARATOR))
        if not (handle and found and name):
            raise BadInputError(f"A line of handles is `handle = name`, not {line[:40]!r}.")
        handles[handle] = name
    return handles
