# The command in a container: docker build --tag fareproof .
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm pack --pack-destination /packed

FROM node:22-slim
LABEL org.opencontainers.image.title="fareproof" \
      org.opencontainers.image.description="Load testing and conformance of a ride service's token and estimate endpoints" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /packed /packed
# The optional packages for agents on other machines.
RUN npm install --global --omit=dev /packed/fareproof-*.tgz @nats-io/transport-node@^3.3.1 @nats-io/nkeys@^2.0.3 \
 && npm cache clean --force && rm -r /packed \
 && install -d -o node -g node /data /data/reports /data/state
# Reports and the ledger of spent allowances outlive the container on volumes; all else may be read-only.
ENV XDG_STATE_HOME=/data/state NODE_ENV=production
WORKDIR /data
USER node
VOLUME ["/data/reports", "/data/state"]
ENTRYPOINT ["fareproof"]
CMD ["--help"]
