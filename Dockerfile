# Pin it by digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… (docs/security.md)
ARG NODE_IMAGE=node:24-bookworm-slim
# Build stage; only its output is copied to the final image.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
ENV CI=true TURBO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/web/package.json apps/web/
COPY packages/client/package.json packages/client/
COPY packages/shared/package.json packages/shared/
RUN --mount=type=cache,target=/root/.local/share/pnpm/store \
    npx --yes pnpm@12.21.0 install --frozen-lockfile
COPY . .
RUN npx turbo run build --output-logs=errors-only

# Only the server's production dependencies.
FROM ${NODE_IMAGE} AS production
WORKDIR /app
ENV CI=true
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/web/package.json apps/web/
COPY packages/client/package.json packages/client/
COPY packages/shared/package.json packages/shared/
RUN --mount=type=cache,target=/root/.local/share/pnpm/store \
    npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --filter @mira/api... \
    # The image has its own Node, and needs no libraries for other operating systems.
    && rm -rf node_modules/.pnpm/node-linux-* node_modules/node-linux-* node_modules/.bin/node \
        node_modules/.pnpm/onnxruntime-node@*/node_modules/onnxruntime-node/bin/*/darwin \
        node_modules/.pnpm/onnxruntime-node@*/node_modules/onnxruntime-node/bin/*/win32

FROM ${NODE_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends ffmpeg \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# The MALLOC variables return unused memory to the system.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data \
    MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
COPY --from=production /app/ ./
COPY --from=build /app/apps/api/src apps/api/src
COPY --from=build /app/apps/api/dist apps/api/dist
COPY --from=build /app/apps/web/dist apps/web/dist
COPY --from=build /app/packages/shared/src packages/shared/src
COPY --from=build /app/prisma prisma
RUN node apps/api/src/compile-readers.ts
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "apps/api/dist/server.mjs"]
