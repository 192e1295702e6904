"""Which server answers which service."""

from everword.client import Client
from everword.client.servers import PUBLIC_PORTS, public_services, server_of


class Channel(str):
    """A fake channel that shows which channel a stub was made with."""

    def unary_unary(self, path: str, *_: object, **__: object) -> tuple[str, str]:
        return path.split("/")[1], str(self)

    unary_stream = stream_unary = stream_stream = unary_unary


def test_client_calls_each_service_at_its_declared_server() -> None:
    client = Client(*(Channel(name) for name in PUBLIC_PORTS))  # type: ignore[arg-type]
    called = dict(call for stub in vars(client).values() for call in vars(stub).values())
    assert called == {service.full_name: server_of(service) for service in public_services()}
