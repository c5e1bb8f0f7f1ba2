import { after } from '../../../kernel/clock.ts';
import type { EndedBuildStatus } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../../model/builds/script.ts';
import type { AppRecord, BuildRecord, BuildScript, SceneWork } from '../../model/state/records.ts';
import type { Running } from '../app-runner.ts';
import { ImageBuildError } from '../processes/own-containers.ts';
import { type AppPython, InstallError } from '../processes/python.ts';
import { StartTimeoutError } from '../replicas/replica.ts';

/**
 * Installs the app's packages and starts its first replica, as the build's script plans, and completes the script with
 * what they print and how they end. `signal`: that of the runner when the build began. It has another one after a stop.
 */
export async function performBuild(
  app: AppRecord,
  build: BuildRecord,
  needs: { requirements: Buffer; differences: readonly string[] },
  running: Running,
  signal: AbortSignal,
): Promise<void> {
  const { runner, store, now } = running;
  const canceled = runner.track(build.id).signal;
  const ended = AbortSignal.any([signal, canceled]);
  let python: AppPython | undefined;
  try {
    signal.throwIfAborted();
    python = await install(build, needs.requirements, ended, running);
    await start(app, build, python, ended, running);
    const differences = [...(python?.differs ? [python.differs] : []), ...needs.differences];
    build.script.end = { status: 'success', ...(differences.length > 0 && { differences }) };
    const { changedAt } = getBuildProgress(build, Number.POSITIVE_INFINITY);
    const started = { app, build, python: python?.path ?? '' };
    after(changedAt - now(), () => runner.getPool(app.id).replaceBy(started), { background: true });
  } catch (error) {
    build.script = signal.aborted ? interrupted(build.script) : failed(build.script, error as Error, python, running);
  } finally {
    runner.untrack(build.id);
    store.save();
  }
}

/** Ends the builds that an earlier emulator was performing when it stopped. */
export function endAbandonedBuilds({ store }: Running): void {
  for (const build of store.builds.values()) {
    const { scenes, end } = build.script;
    if (!end && scenes.some(({ work }) => work)) build.script = interrupted(build.script);
  }
}

/** Builds the image of an app that brings one, which has a Python of its own. */
async function install(build: BuildRecord, requirements: Buffer, signal: AbortSignal, { runner, now }: Running) {
  const work = build.script.scenes.find((scene) => scene.status === 'building' && scene.work)?.work;
  const print = printerOf(work, now);
  const python = build.settings.dockerfilePath
    ? await runner.unpacked.unpack(build, { print, signal }).then(() => undefined)
    : await runner.pythonFor(build.settings, requirements, print);
  if (work) work.endedAt = now();
  return python;
}

async function start(
  app: AppRecord,
  build: BuildRecord,
  python: AppPython | undefined,
  signal: AbortSignal,
  running: Running,
) {
  const { runner, now } = running;
  const scene = build.script.scenes.find(({ status, work }) => status === 'initializing' && work);
  if (!scene?.work) return;
  const { work } = scene;
  if (python) scene.lines.unshift(python.differs ?? `Python ${python.version}`);
  const print = printerOf(work, now);
  await runner.startFirstReplica({ app, build, python: python?.path ?? '', signal, print });
  work.lines.push({ at: now(), text: 'App is ready' });
  work.endedAt = now();
}

/** An app may print without an end while it starts, and so may the installation of its packages. */
const maxLines = 5_000;

function printerOf(work: SceneWork | undefined, now: () => number) {
  return (text: string) => {
    if (work && work.lines.length < maxLines) work.lines.push({ at: now(), text });
  };
}

/** The work that failed is the first that has not ended. Nothing follows it. */
function failed(
  { scenes, ...script }: BuildScript,
  error: Error,
  python: AppPython | undefined,
  { runner, now }: Running,
): BuildScript {
  const last = scenes.findIndex(({ work }) => work && work.endedAt === undefined);
  const work = scenes[last]?.work;
  const printed = work?.lines.map(({ text }) => text) ?? [];
  if (work) {
    work.lines.push({ at: now(), text: `ERROR: ${error.message.split('\n')[0]}` });
    work.endedAt = now();
  }
  const isOfInstaller = error instanceof InstallError;
  const reason = isOfInstaller ? error.message : describeStartFailure(error, printed, runner, python);
  return { ...script, scenes: scenes.slice(0, last + 1), end: { status: statusOf(error), reason } };
}

function statusOf(error: Error): EndedBuildStatus {
  if (error instanceof InstallError || error instanceof ImageBuildError) return 'build_failure';
  return error instanceof StartTimeoutError ? 'init_timeout' : 'init_failure';
}

function interrupted({ scenes, ...script }: BuildScript): BuildScript {
  const last = scenes.findIndex(({ work }) => work && work.endedAt === undefined);
  const work = scenes[last]?.work;
  // Its time is not known, so it ends with its last line.
  if (work) work.endedAt = work.lines.at(-1)?.at ?? 0;
  const end = { status: 'failure', reason: 'the emulator was stopped during this build' };
  return { ...script, scenes: scenes.slice(0, last + 1), end };
}

/** Why an app did not start, for its developer: the error, and the last traceback, or the last lines that it printed. */
function describeStartFailure(
  { message }: Error,
  printed: readonly string[],
  { installsPackages, installLine }: Running['runner'],
  python: AppPython | undefined,
): string {
  const trace = printed.findLastIndex((line) => line.startsWith('Traceback (most recent call last):'));
  const lines = printed.filter((line) => line.trim() !== '');
  const excerpt = (trace < 0 ? lines.slice(-8) : printed.slice(trace, trace + 60))
    .join('\n')
    .replace(foreignFrames, '');
  // A syntax error's message also has its place: `invalid syntax (main.py, line 1)`.
  const isRepeated = excerpt.split('\n').some((line) => /^\w+Error/.test(line) && message.startsWith(line));
  const text = [isRepeated ? '' : message, excerpt].filter(Boolean).join('\n');
  // What an image has is not known here.
  const missing = python ? missingPackageHint(text, installsPackages, installLine) : [];
  return [text, ...missing, ...otherPythonHint(text, python?.differs)].join('\n');
}

/** Those in files of the app have relative paths. */
const foreignFrames = /^ {2}File "(?:[/\\<]|\w:\\).*\n(?: {4}.*\n)*/gm;

/** The flag, and the line, that installs what is missing. What was not sent is not known here. */
export function missingPackageHint(text: string, installs: boolean, line: string): string[] {
  const isMissing = /ModuleNotFoundError: No module named '|its entrypoint failed to start: \S+ not found/.test(text);
  if (installs || !isMissing) return [];
  return [`hint: the emulator installs packages only with --install (${line})`];
}

/** Code for one version of Python may be wrong in another. */
function otherPythonHint(text: string, differs: string | undefined): string[] {
  const isAffected = /(?:Syntax|Indentation|Import|ModuleNotFound|Attribute|Type|Name)Error: /.test(text);
  return differs !== undefined && isAffected ? [`hint: the app ran with ${differs}`] : [];
}
