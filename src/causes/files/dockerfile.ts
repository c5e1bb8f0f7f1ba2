import { posix } from 'node:path';
import { type Copy, contextPath, mayInstall, type Stage, sourceFiles, stageNamed } from '../../app/docker-image.ts';
import { closestName } from '../../kernel/closest-name.ts';
import type { LookedApp } from './looked-app.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

const keywords =
  'FROM ARG ENV RUN COPY ADD CMD ENTRYPOINT WORKDIR EXPOSE USER LABEL VOLUME SHELL HEALTHCHECK ONBUILD STOPSIGNAL MAINTAINER'.split(
    ' ',
  );

/** What the builder will refuse in a Dockerfile. */
export function* lookAtDockerfile({ shipment }: LookedApp): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) return;
  yield* instructions(docker);
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

function* copied(shipment: Shipment, { path: file }: Docker, copy: Copy): Generator<SeenCause> {
  const { sources, line } = copy;
  const at = { file, line };
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

const stageLike = (from: string, names: readonly string[]) =>
  closestName(from, names) ?? names.find((name) => name.startsWith(from) || from.startsWith(name));

function* copiedFromStage(shipment: Shipment, docker: Docker, copy: Copy, from: string): Generator<SeenCause> {
  const { line, stage: into } = copy;
  const { path: file, image } = docker;
  const stages = image.stages.filter((each) => each.line < into.line);
  const stage = stageNamed(stages, from);
  if (stage) return yield* notInStage(shipment, file, copy, stage);
  const names = stages.map(({ name }) => name).filter((name) => name !== '');
  const meant = stageLike(from, names);
  if (usualNames.test(from) || (!toolImages.test(from) && names.length > 0))
    yield {
      cause: 'copy-source-missing',
      severity: meant ? 'error' : 'warning',
      at: { file, line },
      title: `${file} copies from a stage ${from}, which it does not have before that line`,
      fix: meant ? `--from=${meant}` : `use the name of a stage: ${names.join(', ') || 'FROM … AS name'}`,
    };
}
