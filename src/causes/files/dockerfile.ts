import { posix } from 'node:path';
import { contextPath, sourceFiles } from '../../app/docker-image.ts';
import { parseWords } from '../../app/dockerfile.ts';
import { imageLike, isPlainImage, lacksUser, mayInstall } from '../../app/image-contents.ts';
import { type Copy, type Stage, stageNamed } from '../../app/image-stage.ts';
import { closestName } from '../../kernel/closest-name.ts';
import type { LookedApp } from './looked-app.ts';
import { lacksProgram } from './programs.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** What the builder will refuse in a Dockerfile. */
export function* lookAtDockerfile({ shipment }: LookedApp): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) return;
  yield* instructions(docker);
  yield* accounts(docker);
  if (docker.stage.command === undefined && !shipment.config.custom?.entrypoint && isPlainImage(docker.stage.base))
    yield say(
      'image-without-command',
      { file: docker.path, base: docker.stage.base },
      { at: { file: docker.path, line: docker.stage.line } },
    );
  for (const copy of docker.image.copies)
    if (copy.from === undefined) yield* copied(shipment, docker, copy);
    else yield* copiedFromStage(shipment, docker, copy, copy.from);
}

function* instructions({ path: file, image }: Docker): Generator<SeenCause> {
  if (image.stages[0]?.base === '')
    yield say('dockerfile-invalid base', { problem: 'it names no image to build from' }, { at: { file, line: 1 } });
  for (const { keyword, meant, text, rest, line } of image.instructions) {
    const at = { file, line };
    if (meant !== keyword)
      yield say('dockerfile-invalid keyword', { problem: `${keyword} is not an instruction`, meant }, { at });
    else if (/^(?:COPY|ADD)$/.test(keyword) && parseWords(text).length < 2)
      yield say(
        'dockerfile-invalid target',
        { problem: `${keyword} has no target`, whole: `${keyword} ${rest} .` },
        { at },
      );
  }
}

/** Users that nothing makes. A stage that begins with another one has what that has. */
function* accounts({ path: file, image }: Docker): Generator<SeenCause> {
  for (const { base, line: start, users } of image.stages)
    for (const { user, line, before } of users) {
      if (line < start || !lacksUser(before, user)) continue;
      const alpine = /alpine|busybox/.test(base) ? user : undefined;
      yield say('user-missing', { user, file, base, alpine }, { at: { file, line } });
    }
}

/** Base images whose name is a misspelling of a known one. */
export function* lookAtImageNames(app: LookedApp): Generator<SeenCause> {
  const { shipment, packages } = app;
  const docker = shipment.dockerfile();
  const key = 'docker_base_image_url';
  if (!docker && packages.apt.size > 0) yield* withoutApt(app, `deployment.${key}`);
  // A stage that begins with another one has the image of that.
  const named = new Map(docker?.image.stages.toReversed().map(({ base, line }) => [base, line]));
  for (const [base, line] of docker ? named : [[shipment.stage().base, 0] as const]) {
    const meant = imageLike(base);
    if (meant && docker) yield say('image-not-found', { image: base, meant }, { at: { file: docker.path, line } });
    else if (meant) yield say('image-not-found', { image: base, meant, key }, { at: { setting: `deployment.${key}` } });
  }
}

/** An image for the packages of apt that has another package manager. */
function* withoutApt(app: LookedApp, setting: string): Generator<SeenCause> {
  const lack = lacksProgram({ words: ['apt-get'], before: app.shipment.stage() }, app);
  if (lack) yield { ...lack, isCertain: false, at: { setting }, fix: 'use an image of Debian or Ubuntu' };
}

function* copied(shipment: Shipment, { path: file }: Docker, copy: Copy): Generator<SeenCause> {
  const { sources, line } = copy;
  const isThere = (source: string) => contextPath(source) === '' || sourceFiles(source, shipment.paths).length > 0;
  // A pattern may match nothing beside a source that is there.
  for (const source of sources)
    if (!isThere(source) && !(/[*?[]/.test(source) && sources.some(isThere)))
      yield notCopied(source, file, line, shipment);
}

function notCopied(source: string, file: string, line: number, shipment: Shipment): SeenCause {
  const path = contextPath(source);
  const at = { file, line };
  if (path.startsWith('..')) return say('copy-source-missing outside', { path: source, file }, { at });
  const isThere = shipment.exists(path) && !(shipment.isFolder(path) && shipment.list(path).length === 0);
  if (isThere) {
    const { why: because, fix } = shipment.whyUnsent(path);
    return say('copy-source-missing excluded', { path: source, because }, { at, fix });
  }
  const meant = closestName(posix.basename(path), shipment.list(posix.dirname(path)));
  const whole = meant && posix.join(posix.dirname(path), meant);
  return say('copy-source-missing', { path: source, file, meant, whole }, { at });
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
    const named = stage.name || stage.base;
    yield say('copy-source-missing made', { path: source, file, stage: named }, { at: { file, line } });
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
    yield say(
      'copy-source-missing stage',
      { from, file, meant, names: names.join(', ') || undefined },
      { isCertain: meant !== undefined, at: { file, line } },
    );
}
