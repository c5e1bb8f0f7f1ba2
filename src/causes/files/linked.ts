import { posix } from 'node:path';
import type { Stage } from '../../app/image-stage.ts';
import { isOlder } from '../../app/wheels.ts';
import { once } from '../../kernel/once.ts';
import { rowsOf } from '../rule.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

const withoutGlibc = /^scratch$|distroless\/static|(?:^|\/)alpine(?::|$)|-alpine/;

/** The glibc of systems. */
const glibcs: readonly (readonly [image: RegExp, glibc: string])[] = [
  [/buster|debian:10/, '2.28'],
  [/bullseye|debian-?:?11|focal|ubuntu:?20\.04/, '2.31'],
  [/jammy|ubuntu:?22\.04/, '2.35'],
  [/bookworm|debian-?:?12/, '2.36'],
  [/noble|ubuntu:?24\.04/, '2.39'],
  [/trixie|debian-?:?13/, '2.41'],
];

const glibcOf = (base: string) => glibcs.find(([image]) => image.test(base))?.[1] ?? '';

/**
 * Programs that one image builds and that another one cannot load: the language, the command, the image, words of the Dockerfile
 * that make it a program without libraries or bring these, what helps, and what a source has if only some need the libraries.
 */
const links = once(() =>
  rowsOf`
Go | ^go (?:build|install)\b | (?:^|/)golang:(?!.*alpine) | CGO_ENABLED[= ]"?0|-static|netgo|libc6-compat|gcompat|zig | write CGO_ENABLED=0 before go build | ^(?:import\s+|\t)(?:\w+\s+)?"(?:net|net/http|os/user)"$
Rust | ^cargo (?:build|install)\b | (?:^|/)rust:(?!.*alpine) | musl|crt-static|libc6-compat|gcompat|zig|libgcc | build it in rust:alpine, or run it in debian:stable-slim or gcr.io/distroless/cc
`.map((row) => {
    const [language = '', builds = '', builder = '', unless = '', fix = '', source = ''] = row.split(' | ');
    const patterns = { builds: new RegExp(builds), builder: new RegExp(builder), unless: new RegExp(unless) };
    return { language, fix, source: new RegExp(source, 'm'), ...patterns };
  }),
);

type LinkedProgram = ReturnType<typeof links>[number];

/** Whether the last image has what the program that it starts was linked with. */
export function* lookAtLinks({ shipment }: LookedApp): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const [started] = shipment.started();
  if (!docker || !started) return;
  const { stage, path: file, text } = docker;
  const place = posix.resolve(stage.workdir, started.words[0] ?? '');
  const from = stage.others.find(({ path, from }) => from && posix.basename(path) === posix.basename(place))?.from
    ?.stage;
  const link = from && isUnlike(stage, from) ? links().find((each) => isBroken(each, from, text, shipment)) : undefined;
  const at = { file, line: stage.command?.line };
  if (from && link) yield broken(link, from, stage, started.words[0], at);
}

function broken(
  { language, fix: instead }: LinkedProgram,
  from: Stage,
  { base: image }: Stage,
  program = '',
  at: CausePlace,
) {
  const has = glibcOf(image);
  const facts = { program, language, from: from.base, image, has: has || 'none', instead };
  // Since 2.34, every program that has threads needs it.
  const isCertain = isOlder(has || '0', '2.34');
  return say('glibc-too-old', { ...facts, system: has === '' ? undefined : image }, { isCertain, at });
}

const isUnlike = ({ base }: Stage, from: Stage) =>
  withoutGlibc.test(base) || isOlder(glibcOf(base) || '9', glibcOf(from.base) || '0');

const isBroken = ({ builds, builder, unless, source }: LinkedProgram, from: Stage, text: string, shipment: Shipment) =>
  builder.test(from.base) &&
  from.commands.some(({ words }) => builds.test(words.join(' '))) &&
  !unless.test(text) &&
  shipment.paths.some((path) => /(?<!_test)\.(?:go|rs)$/.test(path) && source.test(shipment.read(path)));
