import { defined } from '../../../kernel/json-text.ts';
import type { EndedBuildStatus } from '../../../platform/contract/builds.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { BuildFault } from '../faults.ts';
import type { BuildScene, BuildScript } from '../state/records.ts';
import { type BuildInput, buildScenes, startLines } from './stages.ts';

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
