import { defined } from '../../../kernel/json-text.ts';
import type { EndedBuildStatus } from '../../../platform/contract/builds.ts';
import { settingDifferences } from '../apps/setting-fidelity.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { BuildFault } from '../faults.ts';
import type { BuildRecord, BuildScene, BuildScript, NotStarted } from '../state/records.ts';

export function createBuildScript(input: BuildInput, fault?: BuildFault): BuildScript {
  if (!fault) return normalScript(input);
  // What a fault changes about a build must not depend on what the app does.
  const { plan: _, ...made } = input;
  return buildFaults[fault](normalScript(keepsOutcome.includes(fault) ? input : made));
}

const keepsOutcome: BuildFault[] = ['unknown-status', 'hostile-log'];

function normalScript(input: BuildInput): BuildScript {
  const { settings, archive } = input;
  if (archive instanceof Error) return failedScript(`the archive cannot be unpacked: ${archive.message}`);

  const dockerfile = dockerfilePath(settings);
  if (dockerfile && !archive?.files.has(dockerfile)) return failedScript(`${dockerfile} is not in the archive`);

  const missing = archive && !dockerfile && !archive.files.has('main.py') && whyMainIsNeeded(settings);
  const planned = buildScenes(input, dockerfile);
  // Nothing is installed for a build that fails anyway.
  const printed = planned.filter(({ work }) => !work);
  const failing = printed.flatMap(({ lines }) => lines).find((line) => failingCommand.test(line));
  if (failing) return stoppedAt(failing, printed);
  if (missing) return scriptEndingWith([...printed, starting(settings, `ERROR: ${missing}`)], 'init_failure', missing);
  return withStart(planned, input);
}

/** A build that the emulator performs has no end yet. */
function withStart(building: BuildScene[], { settings, plan }: BuildInput): BuildScript {
  if (!plan) return scriptEndingWith([...building, starting(settings, 'App is ready')], 'success');
  const { obstacle } = plan;
  const simulated = obstacle?.calls === 'simulated' ? '; calls are simulated' : '';
  const start: BuildScene = obstacle
    ? { status: 'initializing', lines: [`The app was not started: ${obstacle.reason}${simulated}`] }
    : { status: 'initializing', lines: startLines(settings), work: { lines: [] } };
  const scenes = [...building, start];
  if (scenes.some(({ work }) => work)) return { scenes };
  return { scenes, end: { status: 'success', ...defined({ notStarted: obstacle }) } };
}

/** Commands are printed, not run, except that these two fail as they would. */
const failingCommand = /^\+ (?:false|exit +([1-9]\d*))$/;

function stoppedAt(command: string, scenes: BuildScene[]): BuildScript {
  const last = scenes.findIndex(({ lines }) => lines.includes(command));
  const [, code = '1'] = failingCommand.exec(command) ?? [];
  const reason = `the command "${command.slice(2)}" failed with exit code ${code}`;
  const { lines = [] } = scenes[last] ?? {};
  const stopped: BuildScene = {
    status: 'building',
    lines: [...lines.slice(0, lines.indexOf(command) + 1), `ERROR: ${reason}`],
  };
  return scriptEndingWith([...scenes.slice(0, last), stopped], 'build_failure', reason);
}

/** As in the archive: `docker/Dockerfile` for `./docker/Dockerfile`. */
function dockerfilePath({ runtime, dockerfilePath: path }: AppSettings): string | undefined {
  return runtime === 'custom' ? path?.replace(/^\.?\//, '') : undefined;
}

function failedScript(reason: string): BuildScript {
  return scriptEndingWith([{ status: 'building', lines: [`ERROR: ${reason}`] }], 'build_failure', reason);
}

function scriptEndingWith(scenes: BuildScene[], status: EndedBuildStatus, reason?: string): BuildScript {
  return { scenes, end: reason ? { status, reason } : { status } };
}

function starting(settings: AppSettings, lastLine: string): BuildScene {
  return { status: 'initializing', lines: [...startLines(settings), lastLine] };
}

/** Undefined if it is not. A custom runtime needs main.py if its entrypoint names it, as in `uvicorn main:app`. */
function whyMainIsNeeded({ runtime, entrypoint }: AppSettings): string | undefined {
  if (runtime === 'cortex') return 'main.py is not in the archive: the cortex runtime loads it';
  const args = entrypoint.flatMap((part) => part.split(/\s+/));
  const named = args.find((word) => /^(main:[a-z_]\w*|(\.\/|\/cortex\/)?main\.py)$/i.test(word));
  return named && `main.py is not in the archive: the entrypoint refers to ${named}`;
}

const buildFaults: Record<BuildFault, (script: BuildScript) => BuildScript> = {
  build_failure: ({ scenes }) => ({
    scenes: withLines(
      scenes.filter((scene) => scene.status === 'building'),
      'building',
      ['ERROR: No matching distribution found for torchh', 'ERROR: process "pip install" exited with code 1'],
    ),
    end: { status: 'build_failure', reason: 'pip install failed: no matching distribution found for torchh' },
  }),

  init_failure: ({ scenes }) => ({
    scenes: withLines(scenes, 'initializing', [
      'Traceback (most recent call last):',
      '  File "/cortex/main.py", line 1, in <module>',
      "ModuleNotFoundError: No module named 'torchh'",
    ]),
    end: { status: 'init_failure', reason: "the app did not start: ModuleNotFoundError: No module named 'torchh'" },
  }),

  init_timeout: ({ scenes }) => ({
    scenes: withLines(scenes, 'initializing', ['Readiness check failed: connection refused']),
    end: { status: 'init_timeout', reason: 'the app was not ready within its deployment_initialization_timeout' },
  }),

  slow: ({ scenes }) => ({ scenes: scenes.filter((scene) => scene.status === 'building') }),

  'unknown-status': (script) => ({ ...script, surprise: 'polishing' }),

  'hostile-log': ({ scenes, ...rest }) => ({ scenes: withLines(scenes, 'building', hostileLines()), ...rest }),
};

/** Adds lines to the last scene with this status. */
function withLines(scenes: BuildScene[], status: BuildScene['status'], lines: string[]): BuildScene[] {
  const last = scenes.findLastIndex((scene) => scene.status === status);
  return scenes.map((scene, index) => (index === last ? { status, lines: [...scene.lines, ...lines] } : scene));
}

/** Lines that attack the terminal or the CI system that shows them. */
function hostileLines(): string[] {
  const esc = '\u001b';
  const bell = '\u0007';
  return [
    `title ${esc}]0;hijacked${bell}`,
    `clipboard ${esc}]52;c;cm0gLXJmIH4=${bell}`,
    `link ${esc}]8;;https://evil.example${bell}click me${esc}]8;;${bell}`,
    `screen ${esc}[2J${esc}[H${esc}[3A${esc}[?25l`,
    `one byte instead of two \u009b2J`,
    `unfinished ${esc}]0;never closed`,
    `color ${esc}[31mred${esc}[0m`,
    'bells \u0007\u0007 backspaces \b\b\b and a null \u0000',
    'right to left \u202etxt.exe',
    '::error file=main.py,line=1::not from us',
    '::set-output name=endpoint::https://evil.example',
    'progress 1%\rprogress 99%\r::warning::after a carriage return',
    'x'.repeat(100_000),
  ];
}

export interface BuildInput {
  settings: AppSettings;
  /** The uploaded archive, or why it cannot be unpacked. A partner's app has none. */
  archive?: ReadArchive | Error;
  /** What the emulator does itself. Without it, nothing: for seed data, faults and simulated builds. */
  plan?: BuildPlan;
}

export interface BuildPlan {
  /** Whether the Python of the app and the packages of `requirements.txt` are installed. */
  installs: boolean;
  /** Why the app is not started; undefined if it is. */
  obstacle: NotStarted | undefined;
}

/**
 * A scene for each stage of a build, in the platform's order (docs/platform.md#builds). A stage without work has none.
 * Every dependency and command is printed, so that a deploy that lost one shows it.
 */
export function buildScenes(input: BuildInput, dockerfile?: string): BuildScene[] {
  return stagesOf(input, dockerfile).flatMap((stage): BuildScene[] => {
    if (stage === 'performed') return [{ status: 'building', lines: [], work: { lines: [] } }];
    return stage.length > 0 ? [{ status: 'building', lines: stage }] : [];
  });
}

/** What a stage prints, or that the emulator does it, and adds what that prints. */
type BuildStage = string[] | 'performed';

function stagesOf(input: BuildInput, dockerfile?: string): BuildStage[] {
  const { settings, plan } = input;
  const archive = input.archive as ReadArchive | undefined;
  const differences = plan ? settingDifferences(settings) : [];
  if (!archive) return [[`FROM ${settings.runtime}:${settings.imageVersion ?? 'latest'} (not pulled)`]];
  if (dockerfile) return [differences, copyLines(archive), plan && !plan.obstacle ? 'performed' : []];
  return [
    [`FROM ${settings.baseImage} (not pulled: the app runs on this machine)`],
    differences,
    commandLines('pre-build', settings.preBuildCommands),
    notInstalled(archive, 'apt'),
    notInstalled(archive, 'conda'),
    plan?.installs ? 'performed' : notInstalled(archive, 'pip'),
    copyLines(archive),
    commandLines('shell', settings.shellCommands),
  ];
}

export function startLines({ runtime, entrypoint, port }: AppSettings): string[] {
  if (runtime !== 'custom') return [runtime === 'cortex' ? 'Loading main.py' : `Starting ${runtime}`];
  return [`Starting: ${entrypoint.join(' ') || 'the command in the image'}`, `Waiting for port ${port}`];
}

/** Without blank lines, comments and options. */
function meaningfulLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-'));
}

function commandLines(kind: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [
    `The emulator runs no ${kind} commands; only false and exit end the build`,
    ...lines.map((line) => `+ ${line}`),
  ];
}

function copyLines({ files }: ReadArchive): string[] {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  return [`Received ${files.size} ${files.size === 1 ? 'file' : 'files'} (${bytes} bytes)`];
}

/** Files of the archive that list packages, with what installs those. */
const packageFiles = {
  apt: ['pkglist.txt'],
  conda: ['conda_pkglist.txt'],
  pip: ['requirements.txt', '; with --install it does'],
} as const;

/** Files of the archive that a build reads; the others are only copied. */
export const filesToRead = Object.values(packageFiles).map(([file]) => file);

/** What differs in an app that the emulator starts, for its developer: its settings, and packages that it lacks. */
export function buildDifferences({ settings, archive, plan }: BuildInput): string[] {
  const lists = settings.dockerfilePath ? undefined : (archive as ReadArchive | undefined);
  const managers = plan?.installs ? (['apt', 'conda'] as const) : (['apt', 'conda', 'pip'] as const);
  return [...settingDifferences(settings), ...managers.flatMap((manager) => notInstalled(lists, manager).slice(0, 1))];
}

function notInstalled(archive: ReadArchive | undefined, manager: keyof typeof packageFiles): string[] {
  const [file, hint = ''] = packageFiles[manager];
  const packages = meaningfulLines(String(archive?.contents.get(file) ?? ''));
  if (packages.length === 0) return [];
  return [`The emulator does not install ${manager} packages${hint}`, ...packages.map((name) => `- ${name}`)];
}

/** Unpacked sizes in bytes and checksums, by path. */
export type FileList = Map<string, { size: number; crc32: number }>;

export interface ReadArchive {
  files: FileList;
  /** The content of the requested files that exist. */
  contents: Map<string, Buffer>;
}

/** A build at a point in time. */
export interface BuildProgress {
  status: string;
  reason: string | undefined;
  notStarted?: NotStarted;
  differences?: string[];
  /** Milliseconds since 1970, like all times here. */
  changedAt: number;
  lines: BuildLine[];
}

interface BuildLine {
  at: number;
  text: string;
}

/**
 * Plays a build's script up to now: each scene lasts `pace`, with its lines spread evenly over it, and at least until
 * the work that the emulator does in it has ended.
 */
export function getBuildProgress(build: BuildRecord, now: number): BuildProgress {
  const { cancelledAt } = build;
  const progress = progressUntil(build, Math.min(now, cancelledAt ?? now));
  if (cancelledAt === undefined) return progress;
  const lines = [...progress.lines, { at: cancelledAt, text: 'Build cancelled' }];
  return { status: 'cancelled', reason: undefined, changedAt: cancelledAt, lines };
}

function progressUntil({ createdAt, startedAt, pace, script }: BuildRecord, until: number): BuildProgress {
  if (startedAt === undefined) return { status: 'pending', reason: undefined, changedAt: createdAt, lines: [] };
  const scenes = scheduleScenes(script.scenes, startedAt, pace);
  const begun = scenes.filter(({ at }) => at <= until);
  const lines = begun.flatMap(({ lines }) => lines).filter(({ at }) => at <= until);
  const { status, at: changedAt } = begun.at(-1) ?? { status: 'pending', at: startedAt };
  const endsAt = scenes.at(-1)?.endsAt ?? startedAt;
  if (script.end && until >= endsAt) return { reason: undefined, ...script.end, changedAt: endsAt, lines };
  return { status, reason: undefined, changedAt, lines };
}

/** Scenes after unfinished work are never reached. */
function scheduleScenes(scenes: readonly BuildScene[], startedAt: number, pace: number) {
  let next = startedAt;
  return scenes.map(({ status, lines, work }) => {
    const at = next;
    const scripted = lines.map((text, index) => ({ at: at + Math.floor((pace * index) / lines.length), text }));
    const last = scripted.at(-1)?.at ?? at;
    const printed = (work?.lines ?? []).map((line) => ({ ...line, at: Math.max(line.at, last) }));
    next = Math.max(at + pace, work ? (work.endedAt ?? Number.POSITIVE_INFINITY) : at);
    return { status, at, endsAt: next, lines: [...scripted, ...printed] };
  });
}
