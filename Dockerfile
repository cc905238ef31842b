# The command in a container, and a server with a health check:
#
#   docker build --tag fareproof .
#   docker build --tag fareproof-server --target serve .
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && mkdir /packed && npm pack --pack-destination /packed

FROM node:22-slim AS command
LABEL org.opencontainers.image.title="fareproof" \
      org.opencontainers.image.description="Load testing and conformance of a ride service's token and estimate endpoints" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.source="https://github.com/fareproof/fareproof" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /packed /packed
# With the optional packages, as the lock file has them: agents on other machines, metrics, and another engine of load.
RUN npm install --global --omit=dev /packed/fareproof-*.tgz \
      @nats-io/jetstream@3.3.1 @nats-io/nkeys@2.0.3 @nats-io/transport-node@3.3.1 \
      @opentelemetry/exporter-metrics-otlp-proto@0.223.0 @opentelemetry/resources@2.12.1 \
      @opentelemetry/sdk-metrics@2.12.1 autocannon@9.0.0 prom-client@15.1.3 \
 && npm cache clean --force && rm -r /packed \
 && install -d -o node -g node /data /data/reports /data/state
# Reports, and the ledger and the tokens of unfinished checks, outlive the container on two volumes: the first can be
# published, the second is private. All else may be read-only.
ENV FAREPROOF_STATE_DIR=/data/state/fareproof NODE_ENV=production
WORKDIR /data
USER node
VOLUME ["/data/reports", "/data/state"]
ENTRYPOINT ["fareproof"]
CMD ["--help"]

FROM command AS serve
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/').catch(() => process.exit(1))"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]

# The default: commands that end have nothing to check.
FROM command
