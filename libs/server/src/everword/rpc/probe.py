"""`python -m everword.rpc.probe`: exit 0 while the service of this container says SERVING, for health checks.

`python -m everword.rpc.probe liveness` goes by the process alone, whatever Postgres does.
"""

import os
import sys
import time
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from everword.client.channel import Tls
from everword.domain.settings import Environment, SettingError

TIMEOUT_S = 3.0
PAUSE_S = 0.2


def probe(environment: Environment, name: str = "") -> str:
    """Return the health of the service at EVERWORD_LISTEN, or the name of its error.

    `name` is a gRPC service, or `liveness`; empty is the whole server.

    A service with TLS is called as `localhost`, which its certificate must name, signed by EVERWORD_TLS_CA. If it
    requires client certificates, its own is shown, which must be signed by EVERWORD_TLS_CLIENT_CA, too.
    """
    port = environment.required("EVERWORD_LISTEN").rpartition(":")[2]
    ca = environment.file("EVERWORD_TLS_CA")
    options = [("grpc.enable_http_proxy", 0)]  # the host's proxy is not the way into this container
    if ca:
        own = environment.file("EVERWORD_TLS_CERT"), environment.file("EVERWORD_TLS_KEY")
        credentials = Tls(ca, *own).credentials()
        channel = grpc.secure_channel(f"localhost:{port}", credentials, options)
    else:
        channel = grpc.insecure_channel(f"127.0.0.1:{port}", options)
    with channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)  # its type stubs have no methods
        request = health_pb2.HealthCheckRequest(service=name)
        ends = time.monotonic() + TIMEOUT_S
        while True:
            try:
                answer = stub.Check(request, timeout=max(0.0, ends - time.monotonic()))
                return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
            except grpc.RpcError as error:
                # If too many calls wait, gRPC drops some without looking at them.
                if error.code() is not grpc.StatusCode.CANCELLED:
                    return str(error.code().name)
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    try:
        status = probe(Environment(os.environ), *sys.argv[1:2])
    except SettingError as error:
        sys.exit(f"everword: {error}")
    sys.exit(None if status == "SERVING" else status)
