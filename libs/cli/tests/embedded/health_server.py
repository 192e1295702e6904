"""A real gRPC server that serves only the health service; the supervisor's tests run it as a service.

Usage: health_server.py [ADDRESS [not-serving | deaf | broken]]; without an address, EVERWORD_LISTEN.
"""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc


def main(address: str, behaviour: str = "") -> None:
    if behaviour == "broken":
        sys.exit("the configuration is broken")
    # Waited for, not handled: a second signal would come in the midst of a handler that holds the server's lock.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if behaviour == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = grpc.server(ThreadPoolExecutor(1), options=[("grpc.so_reuseport", 0)])
    servicer = health.HealthServicer()
    status = health_pb2.HealthCheckResponse
    state = status.NOT_SERVING if behaviour == "not-serving" else status.SERVING
    servicer.set("", state)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(address)
    server.start()
    print("listening", flush=True)
    if behaviour == "deaf":
        server.wait_for_termination()
    signal.sigwait({signal.SIGTERM})
    server.stop(grace=None).wait()
    print("stopped", flush=True)


if __name__ == "__main__":
    main(*(sys.argv[1:] or [os.environ["EVERWORD_LISTEN"]]))
