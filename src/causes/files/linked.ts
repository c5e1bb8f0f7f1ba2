import { posix } from 'node:path';
import type { Stage } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** A program that one image builds and that another one cannot load. */
interface Link {
  builds: RegExp;
  builder: RegExp;
  /** The last image. */
  runs: RegExp;
  /** Words of the Dockerfile that make it a program without libraries, or bring these. */
  unless: RegExp;
  /** Only if a source has it. */
  sources?: { files: RegExp; text: RegExp };
  why: string;
  fix: string;
}

const withoutGlibc = /^scratch$|distroless\/static|(?:^|\/)alpine(?::|$)|-alpine/;
const net = { files: /(?<!_test)\.go$/, text: /^(?:import\s+|\t)(?:\w+\s+)?"(?:net|net\/http|os\/user)"$/m };
const ofGo = {
  builds: /^go (?:build|install)\b/,
  sources: net,
  unless: /CGO_ENABLED[= ]"?0|-static|netgo|libc6-compat|gcompat|zig/,
};
const ofRust = { builds: /^cargo (?:build|install)\b/, unless: /musl|crt-static|libc6-compat|gcompat|zig|libgcc/ };

const links: readonly Link[] = [
  {
    ...ofGo,
    builder: /(?:^|\/)golang:(?!.*alpine)/,
    runs: withoutGlibc,
    why: 'Go links it with the glibc of {builder}, and {runs} has none',
    fix: 'write CGO_ENABLED=0 before go build',
  },
  {
    ...ofRust,
    builder: /(?:^|\/)rust:(?!.*alpine)/,
    runs: withoutGlibc,
    why: 'Rust links it with the glibc of {builder}, and {runs} has none',
    fix: 'build it in rust:alpine, or run it in debian:stable-slim or gcr.io/distroless/cc',
  },
];

/** Whether the last image has what the program that it starts was linked with. */
export function* lookAtLinks(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [started] = shipment.started();
  if (!docker || !started) return;
  const { stage, path: file } = docker;
  const place = posix.resolve(stage.workdir, started.words[0] ?? '');
  const from = stage.others.find(({ path, from }) => from && posix.basename(path) === posix.basename(place))?.from
    ?.stage;
  const text = shipment.read(file);
  const link = from && links.find((each) => isBroken(each, from, docker, text, shipment));
  if (link)
    yield {
      cause: 'glibc-too-old',
      severity: 'error',
      at: { file, line: stage.command?.line },
      title: `${started.words[0]} does not start in ${stage.base}`,
      why: link.why.replace('{builder}', from.base).replace('{runs}', stage.base),
      fix: link.fix,
    };
}

const isBroken = (
  { builds, builder, runs, unless, sources }: Link,
  from: Stage,
  { stage }: Docker,
  text: string,
  shipment: Shipment,
) =>
  builder.test(from.base) &&
  runs.test(stage.base) &&
  from.commands.some(({ words }) => builds.test(words.join(' '))) &&
  !unless.test(text) &&
  (!sources || shipment.paths.some((path) => sources.files.test(path) && sources.text.test(shipment.read(path))));
