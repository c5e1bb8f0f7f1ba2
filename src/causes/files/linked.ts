import { posix } from 'node:path';
import type { Stage } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** A program that one image builds and that another one cannot load. */
interface Link {
  builds: RegExp;
  builder: RegExp;
  /** Words of the Dockerfile that make it a program without libraries, or bring these. */
  unless: RegExp;
  /** Only if a source has it. */
  sources?: { files: RegExp; text: RegExp };
  language: string;
  fix: string;
}

const withoutGlibc = /^scratch$|distroless\/static|(?:^|\/)alpine(?::|$)|-alpine/;

const links: readonly Link[] = [
  {
    language: 'Go',
    builds: /^go (?:build|install)\b/,
    builder: /(?:^|\/)golang:(?!.*alpine)/,
    sources: { files: /(?<!_test)\.go$/, text: /^(?:import\s+|\t)(?:\w+\s+)?"(?:net|net\/http|os\/user)"$/m },
    unless: /CGO_ENABLED[= ]"?0|-static|netgo|libc6-compat|gcompat|zig/,
    fix: 'write CGO_ENABLED=0 before go build',
  },
  {
    language: 'Rust',
    builds: /^cargo (?:build|install)\b/,
    builder: /(?:^|\/)rust:(?!.*alpine)/,
    unless: /musl|crt-static|libc6-compat|gcompat|zig|libgcc/,
    fix: 'build it in rust:alpine, or run it in debian:stable-slim or gcr.io/distroless/cc',
  },
];

/** Whether the last image has what the program that it starts was linked with. */
export function* lookAtLinks(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [started] = shipment.started();
  if (!docker || !started) return;
  const { stage, path: file, text } = docker;
  const place = posix.resolve(stage.workdir, started.words[0] ?? '');
  const from = stage.others.find(({ path, from }) => from && posix.basename(path) === posix.basename(place))?.from
    ?.stage;
  const link =
    from && withoutGlibc.test(stage.base) ? links.find((each) => isBroken(each, from, text, shipment)) : undefined;
  if (from && link)
    yield {
      cause: 'glibc-too-old',
      severity: 'error',
      at: { file, line: stage.command?.line },
      title: `${started.words[0]} does not start in ${stage.base}`,
      why: `${link.language} links it with the glibc of ${from.base}, and ${stage.base} has none`,
      fix: link.fix,
    };
}

const isBroken = ({ builds, builder, unless, sources }: Link, from: Stage, text: string, shipment: Shipment) =>
  builder.test(from.base) &&
  from.commands.some(({ words }) => builds.test(words.join(' '))) &&
  !unless.test(text) &&
  (!sources || shipment.paths.some((path) => sources.files.test(path) && sources.text.test(shipment.read(path))));
