# gantry for pipelines: docker build -t localhost/gantry ., then
# docker run --rm -v "$PWD:/work" -e GANTRY_TOKEN -e GANTRY_PROJECT localhost/gantry deploy
# Needs release/linux-x64 and release/linux-arm64: npm run dist -- --target linux-x64 --target linux-arm64
# There is no Python in it: its emulator simulates the calls of apps.
ARG TARGETARCH=amd64

FROM scratch AS amd64
COPY --chmod=755 release/linux-x64/gantry /gantry

FROM scratch AS arm64
COPY --chmod=755 release/linux-arm64/gantry /gantry

FROM ${TARGETARCH} AS program

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=program /gantry /usr/local/bin/gantry
COPY LICENSE dist/THIRD-PARTY-NOTICES.txt /usr/share/doc/gantry/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/gantry"]
