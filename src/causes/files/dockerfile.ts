import { posix } from 'node:path';
import { type Copy, contextPath, mayInstall, type Stage, sourceFiles, stageNamed } from '../../app/docker-image.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../groups.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

const keywords =
  'FROM ARG ENV RUN COPY ADD CMD ENTRYPOINT WORKDIR EXPOSE USER LABEL VOLUME SHELL HEALTHCHECK ONBUILD STOPSIGNAL MAINTAINER'.split(
    ' ',
  );

/** What the builder will refuse in a Dockerfile. */
export function* lookAtDockerfile(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const base = shipment.config.deployment.docker_base_image_url ?? '';
  if (!shipment.isDocker) yield* tagShape(base, { setting: 'deployment.docker_base_image_url' });
  if (!docker) return;
  yield* instructions(docker);
  yield* tags(docker);
  for (const stage of docker.image.stages) yield* tagShape(stage.base, { file: docker.path, line: stage.line });
  yield* bases(docker);
  yield* platforms(docker);
  yield* namedInEnvironment(shipment, docker);
  for (const copy of docker.image.copies)
    if (copy.from === undefined) yield* copied(shipment, docker, copy);
    else yield* copiedFromStage(shipment, docker, copy, copy.from);
}

function* instructions({ path: file, image }: Docker): Generator<SeenCause> {
  for (const { keyword, line } of image.instructions) {
    if (keywords.includes(keyword)) continue;
    const meant = closestName(keyword, keywords);
    yield {
      cause: 'dockerfile-invalid',
      severity: 'error',
      captured: { problem: `there is no instruction ${keyword}` },
      at: { file, line },
      fix: meant ? `write ${meant}` : 'end the line before it with a backslash, if it belongs to that instruction',
    };
  }
}

/** What the tags of official images say of the system. */
const systems = 'slim alpine bookworm bullseye trixie buster latest stable jammy noble'.split(' ');
const official = /^((?:[\w.-]+\/)*(?:python|node|golang|rust|php|ruby|debian|ubuntu|alpine|nginx)):([\w.-]+)$/;

/** Since CUDA 11.1, each tag names the whole version, what the image has, and the system. */
const cudaTags =
  /^(?:(?:11\.\d|12\.[0-2])\.[0-3](?:-cudnn8)?|12\.3\.[0-3](?:-cudnn[89])?|1[2-9]\.\d\.[0-3](?:-cudnn)?)-(?:base|runtime|devel)-(?:ubuntu(?:18|20|22|24)\.04|(?:ubi|rhel|rockylinux|centos|opensuse|oraclelinux)\d+|cm2|azl3|amzn2023)(?:-\w+)?$/;

const ofDebian = '(?:wheezy|jessie|stretch|buster|bullseye|bookworm|trixie|forky)';
const afterVersion = (endings: string) =>
  new RegExp(
    `^\\d[\\w.]*(?:-rc)?(?:-(?:alpine[\\d.]*|onbuild|windows.*|nano.*|${endings}))?$`.replaceAll('DEBIAN', ofDebian),
  );

/** How the tags of images look that begin with a version, and an example. */
const shapes: readonly (readonly [image: RegExp, tag: RegExp, example: string])[] = [
  [/^nvidia\/cuda:(?:$|latest$|1[1-9]\.)/, cudaTags, '12.4.1-runtime-ubuntu22.04'],
  [/^pytorch\/pytorch:[12]\./, /^[\d.]+-cuda[\d.]+-cudnn\d+-(?:runtime|devel)$/, '2.5.1-cuda12.4-cudnn9-runtime'],
  [/^(?:python|ruby|rust):\d/, afterVersion('slim(?:-DEBIAN)?|DEBIAN'), '3.12-slim-bookworm'],
  [/^node:\d/, afterVersion('slim|DEBIAN(?:-slim)?'), '22-bookworm-slim'],
  [/^golang:\d/, afterVersion('DEBIAN'), '1.23-bookworm'],
  [/^ubuntu:\d/, /^\d\d\.\d\d$/, '24.04'],
];

function* tagShape(image: string, at: CausePlace): Generator<SeenCause> {
  const [, name = '', tag = ''] = groupsOf(/^(?:docker\.io\/)?(?:library\/)?([\w./-]+)(?::([\w.-]+))?$/, image);
  const [, shape, example] = shapes.find(([one]) => one.test(`${name}:${tag}`)) ?? [];
  if (!shape || shape.test(tag)) return;
  yield {
    cause: 'image-not-found',
    captured: { image },
    at,
    why: `a tag of it looks like ${example}`,
    fix: `use a tag of https://hub.docker.com/${name.includes('/') ? 'r' : '_'}/${name}/tags`,
  };
}

/** A tag with a word that is nearly one of those. */
function* tags({ path: file, image }: Docker): Generator<SeenCause> {
  for (const { keyword, text, line } of image.instructions) {
    const [, name = '', tag = ''] = (keyword === 'FROM' && official.exec(text.split(/\s+/)[0] ?? '')) || [];
    for (const word of tag.split('-').filter((each) => /^[a-z]{4,}$/.test(each) && !systems.includes(each))) {
      const meant = closestName(word, systems);
      if (meant === undefined) continue;
      yield {
        cause: 'image-not-found',
        captured: { image: `${name}:${tag}` },
        at: { file, line },
        fix: `FROM ${name}:${tag.replace(word, meant)}`,
      };
    }
  }
}

/** Arguments that the builder sets itself. */
const ofBuilder = /^(?:BUILD|TARGET)(?:PLATFORM|OS|ARCH|VARIANT)$/;

/** A base image by an argument that nothing defines above it. */
function* bases({ path: file, image }: Docker): Generator<SeenCause> {
  const first = image.instructions.findIndex(({ keyword }) => keyword === 'FROM');
  const known = new Set(image.instructions.slice(0, first).map(({ text }) => /^\w+/.exec(text)?.[0]));
  for (const { keyword, text, line } of image.instructions)
    for (const [, plain = '', braced = plain] of keyword === 'FROM' ? text.matchAll(/\$(?:(\w+)|\{(\w+)\})/g) : [])
      if (!known.has(braced) && !ofBuilder.test(braced))
        yield {
          cause: 'dockerfile-invalid',
          severity: 'error',
          captured: { problem: `FROM has ${braced}, which no ARG above it defines` },
          at: { file, line },
          fix: `write ARG ${braced}=… above the first FROM`,
        };
}

function* platforms({ path: file, image }: Docker): Generator<SeenCause> {
  const last = image.instructions.findLast(({ keyword }) => keyword === 'FROM');
  const platform = last?.flags.find(([name]) => name === 'platform')?.[1] ?? '';
  if (!/^linux\/arm|^windows/.test(platform)) return;
  yield {
    cause: 'wrong-architecture',
    severity: 'error',
    at: { file, line: last?.line },
    title: `the image is made for ${platform}, and the platform runs linux/amd64`,
    fix: 'remove --platform',
  };
}

/** Paths of the environment that the image lacks, where the app has the file, or the image another one of nearly this name. */
function* namedInEnvironment(shipment: Shipment, { path: file, image, stage }: Docker): Generator<SeenCause> {
  const folders = [...stage.files.keys()].filter((path) => path.startsWith('/')).flatMap(foldersAbove);
  for (const [name, value] of stage.environment) {
    const path = posix.join(value);
    const inApp = posix.relative(stage.workdir, path);
    if (!path.startsWith(`${stage.workdir.replace(/\/$/, '')}/`) || value.includes(':') || !shipment.lacks(stage, path))
      continue;
    const meant = closestName(path, new Set([...folders, ...stage.files.keys()]));
    const isSent = shipment.sent.has(inApp) || shipment.hasFolder(inApp);
    if (!isSent && meant === undefined) continue;
    yield {
      cause: 'file-not-found',
      at: { file, line: image.instructions.find(({ text }) => text.includes(`${name}=`))?.line },
      title: `${name} is ${path}, which is not in the image`,
      fix: isSent ? `COPY ${inApp} ${inApp}` : `write ${meant}`,
    };
  }
}

const foldersAbove = (path: string): string[] =>
  path === '/' ? [] : [posix.dirname(path), ...foldersAbove(posix.dirname(path))];

function* copied(shipment: Shipment, { path: file }: Docker, copy: Copy): Generator<SeenCause> {
  const { sources, line, count, target } = copy;
  const at = { file, line };
  if (count > 1 && !/(?:^|\/)\.{0,2}$/.test(target) && !target.includes('$'))
    yield {
      cause: 'dockerfile-invalid',
      severity: 'error',
      captured: { problem: `COPY with more than one source needs a folder: ${target} has no / at its end` },
      at,
      fix: `write ${target}/`,
    };
  const isThere = (source: string) => contextPath(source) === '' || sourceFiles(source, shipment.paths).length > 0;
  // A pattern may match nothing beside a source that is there.
  for (const source of sources)
    if (!isThere(source) && !(/[*?[]/.test(source) && sources.some(isThere)))
      yield {
        cause: 'copy-source-missing',
        severity: 'error',
        captured: { path: source },
        at,
        ...whyNotCopied(shipment, file, source),
      };
}

type Said = Pick<SeenCause, 'title' | 'why' | 'fix'>;

function whyNotCopied(shipment: Shipment, file: string, source: string): Said {
  const path = contextPath(source);
  if (path.startsWith('..'))
    return {
      title: `${file} copies ${source}, which is outside of the app folder`,
      fix: 'put it into the app folder: only that is sent',
    };
  const isThere = shipment.exists(path) && !(shipment.isFolder(path) && shipment.list(path).length === 0);
  if (isThere) {
    const { why, fix } = shipment.reasonOf(path);
    return { why: `it is in the app folder, but ${why}`, fix };
  }
  const meant = closestName(posix.basename(path), shipment.list(posix.dirname(path)));
  return {
    title: `${file} copies ${source}, which is not in the app folder`,
    why: meant && `the folder has ${meant}`,
    fix: meant
      ? `COPY ${posix.join(posix.dirname(path), meant)}`
      : 'add it to the app folder, or remove it from the instruction',
  };
}

/** Without a stage of a name, it is an image: those have a slash or a tag, or one of these names. */
const toolImages =
  /[/:.$]|^(?:composer|alpine|busybox|debian|ubuntu|node|golang|rust|python|php|ruby|nginx|docker|maven|gradle|bun|deno)$/;

const usualNames =
  /^(?:build(?:er)?|base|deps|dependencies|compile|development|production|runtime|final|publish|stage\w*)$/;

/** What a stage surely does not have. */
function* notInStage(shipment: Shipment, file: string, { line, sources }: Copy, stage: Stage): Generator<SeenCause> {
  for (const source of sources) {
    const path = posix.resolve('/', source);
    if (path === stage.workdir || mayInstall(stage, path) || !shipment.lacks(stage, path)) continue;
    yield {
      cause: 'copy-source-missing',
      severity: 'error',
      at: { file, line },
      title: `${file} copies ${source}, which no command of the stage ${stage.name || stage.base} makes`,
      fix: 'name what its build writes, or change where the build writes it',
    };
  }
}

function* copiedFromStage(shipment: Shipment, docker: Docker, copy: Copy, from: string): Generator<SeenCause> {
  const { line, stage: into, sources } = copy;
  const { path: file, image } = docker;
  const stages = image.stages.filter((each) => each.line < into.line);
  const stage = stageNamed(stages, from);
  const names = stages.map(({ name }) => name).filter((name) => name !== '');
  const meant = closestName(from, names) ?? names.find((name) => name.startsWith(from) || from.startsWith(name));
  if (stage) yield* notInStage(shipment, file, copy, stage);
  const version = /(?:^|\/)python:(3\.\d+)/;
  const pythons = [stage, into].map((each) => version.exec(each?.base ?? '')?.[1]);
  if (
    sources.some((each) => /venv|site-packages|python3/.test(each)) &&
    pythons[0] &&
    pythons[1] &&
    pythons[0] !== pythons[1]
  )
    yield {
      cause: 'python-version-unsupported',
      at: { file, line },
      title: `${file} copies the packages of Python ${pythons[0]} into an image with Python ${pythons[1]}`,
      fix: 'make both stages from the same Python',
    };
  if (!stage && (usualNames.test(from) || (!toolImages.test(from) && names.length > 0)))
    yield {
      cause: 'copy-source-missing',
      severity: meant ? 'error' : 'warning',
      at: { file, line },
      title: `${file} copies from a stage ${from}, which it does not have before that line`,
      fix: meant ? `--from=${meant}` : `use the name of a stage: ${names.join(', ') || 'FROM … AS name'}`,
    };
}
