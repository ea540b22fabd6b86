# docker build -t layoutd .
# docker run --rm -p 127.0.0.1:8080:8080 -e LAYOUTD_ALLOW_ANONYMOUS=true layoutd
#
# In the container the server listens on all addresses, and it does that without keys only if
# LAYOUTD_ALLOW_ANONYMOUS says so. The image leaves that to whoever runs it.

FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      libmicrohttpd-dev libgnutls28-dev libsimdjson-dev libsqlite3-dev libhiredis-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Tests are not built, but the manifest names their folders, and the playground's pictures are a fixture of theirs.
COPY . .
RUN swift build -c release --product layoutd \
 && install -D -s "$(swift build -c release --show-bin-path)/layoutd" /out/layoutd

FROM debian:bookworm-slim
# The folder is for a volume, if there is to be a file of sessions: it takes over who may write there.
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      libmicrohttpd12 libgnutls30 libsimdjson14 libsqlite3-0 libhiredis0.14 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin layoutd \
 && install -d -o 10001 -g 10001 -m 700 /var/lib/layoutd
COPY --from=build /out/layoutd /usr/local/bin/layoutd
COPY LICENSE /usr/share/doc/layoutd/LICENSE
# A number, so that orchestrators can see that it is not root.
USER 10001
# Change the port by LAYOUTD_PORT rather than by an argument: the health check reads it too, and fails where an
# orchestrator has put something else there.
ENV LAYOUTD_HOST=0.0.0.0
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["layoutd", "healthcheck"]
ENTRYPOINT ["layoutd"]
