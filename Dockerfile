# One image for each service, with what deploy/requirements names for it, and nothing else:
#   docker build --build-arg SERVICE=ingest --tag everword/ingest:0.1.0 .
# SERVICE is one of the stages at the end: ingest, search, compactor, embedder, web, or cli for the command `everword`.
ARG SERVICE
FROM python:3.11.15-slim-bookworm AS base

FROM base AS build
# The compiler is for search, and stays in this stage; which minor version of it does not matter.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY deploy/install.sh deploy/install.sh
COPY deploy/requirements deploy/requirements
COPY requirements.lock requirements-models.lock ./
COPY libs libs
COPY services services
ARG SERVICE
RUN --mount=type=cache,target=/root/.cache/pip deploy/install.sh "$SERVICE" /opt/everword

FROM base AS run
COPY --from=build /opt/everword /opt/everword
# Downloaded embedding models: a volume that the command line fills and the embedder reads.
RUN install -d -o 10001 -g 10001 /var/lib/everword/models
ENV HF_HOME=/var/lib/everword/models
# Nothing else is written but below /tmp: the file system may be read-only.
ENV PATH=/opt/everword/bin:$PATH HOME=/tmp PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /tmp
USER 10001:10001
STOPSIGNAL SIGTERM

FROM run AS grpc
HEALTHCHECK --interval=10s --timeout=5s --retries=3 --start-period=60s --start-interval=1s \
  CMD ["python", "-P", "-m", "everword.rpc.probe"]

FROM grpc AS ingest
ENV EVERWORD_LISTEN=0.0.0.0:50051
EXPOSE 50051
ENTRYPOINT ["python", "-P", "-m", "everword_ingest"]

FROM grpc AS search
ENV EVERWORD_LISTEN=0.0.0.0:50052
EXPOSE 50052
ENTRYPOINT ["python", "-P", "-m", "everword_search"]

FROM grpc AS compactor
ENV EVERWORD_LISTEN=0.0.0.0:50053
EXPOSE 50053
ENTRYPOINT ["python", "-P", "-m", "everword_compactor"]

FROM grpc AS embedder
ENV EVERWORD_LISTEN=0.0.0.0:50054
EXPOSE 50054
ENTRYPOINT ["python", "-P", "-m", "everword_embedder"]

FROM run AS web
EXPOSE 50055 50056 50057
HEALTHCHECK --interval=10s --timeout=5s --retries=3 --start-period=60s --start-interval=1s \
  CMD ["python", "-P", "-c", "import urllib.request; [urllib.request.urlopen(f'http://127.0.0.1:{port}/healthz', timeout=1.5) for port in (50055, 50056, 50057)]"]
ENTRYPOINT ["everword-web", "--gateway", "0.0.0.0:50056", "--mcp", "0.0.0.0:50055", "--console", "0.0.0.0:50057"]

FROM run AS cli
ENTRYPOINT ["everword"]

FROM ${SERVICE}
