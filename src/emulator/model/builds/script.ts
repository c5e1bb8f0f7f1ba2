import type { AwaitedEnd } from '../../../platform/contract/awaited-ends.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { BuildFault } from '../faults.ts';
import type { BuildScene, BuildScript } from '../state/records.ts';
import { buildFaults } from './build-faults.ts';
import { type BuildInput, type BuildStage, buildStages, startLines } from './stages.ts';

export function createBuildScript(input: BuildInput, fault?: BuildFault): BuildScript {
  if (!fault) return normalScript(input);
  // What a fault changes about a build must not depend on what the app does.
  const { plan: _, ...made } = input;
  return buildFaults[fault](normalScript(keepsOutcome.includes(fault) ? input : made));
}

const keepsOutcome: BuildFault[] = ['unknown-status', 'hostile-log'];

/** Files of the archive that a build reads; the others are only copied. */
export function filesToRead(settings: AppSettings): string[] {
  return ['requirements.txt', 'conda_pkglist.txt', 'pkglist.txt', dockerfilePath(settings) ?? ''];
}

function normalScript(input: BuildInput): BuildScript {
  const { settings, archive } = input;
  if (archive instanceof Error) return failedScript(`the archive cannot be unpacked: ${archive.message}`);

  const dockerfile = dockerfilePath(settings);
  if (dockerfile && !archive?.files.has(dockerfile)) return failedScript(`${dockerfile} is not in the archive`);

  const missing = archive && !dockerfile && !archive.files.has('main.py') && whyMainIsNeeded(settings);
  const planned = stagesOf(input, dockerfile);
  const failing = planned.flatMap(({ lines }) => lines).find((line) => failingCommand.test(line));
  // Nothing is installed for a build that fails anyway.
  const stages = missing || failing ? stagesOf(withoutInstall(input), dockerfile) : planned;
  if (failing) return stoppedAt(failing, stages);

  const building = stages.map(buildingScene);
  if (missing) return scriptEndingWith([...building, starting(settings, `ERROR: ${missing}`)], 'init_failure', missing);
  return withStart(building, input);
}

function stagesOf(input: BuildInput, dockerfile: string | undefined): BuildStage[] {
  return buildStages(input, dockerfile).filter(({ lines, isPerformed }) => lines.length > 0 || isPerformed);
}

function withoutInstall({ plan, ...input }: BuildInput): BuildInput {
  return plan ? { ...input, plan: { ...plan, installs: false } } : input;
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
  return { scenes, end: { status: 'success', ...(obstacle && { notStarted: obstacle }) } };
}

function buildingScene({ lines, isPerformed }: BuildStage): BuildScene {
  return { status: 'building', lines, ...(isPerformed && { work: { lines: [] } }) };
}

/** Commands are printed, not run, except that these two fail as they would. */
const failingCommand = /^\+ (?:false|exit +([1-9]\d*))$/;

function stoppedAt(command: string, stages: BuildStage[]): BuildScript {
  const last = stages.findIndex(({ lines }) => lines.includes(command));
  const [, code = '1'] = failingCommand.exec(command) ?? [];
  const reason = `the command "${command.slice(2)}" failed with exit code ${code}`;
  const scenes = stages.slice(0, last + 1).map(({ lines }, index) => ({
    status: 'building' as const,
    lines: index === last ? [...lines.slice(0, lines.indexOf(command) + 1), `ERROR: ${reason}`] : lines,
  }));
  return scriptEndingWith(scenes, 'build_failure', reason);
}

/** As in the archive: `docker/Dockerfile` for `./docker/Dockerfile`. */
function dockerfilePath({ runtime, dockerfilePath: path }: AppSettings): string | undefined {
  return runtime === 'custom' ? path?.replace(/^\.?\//, '') : undefined;
}

function failedScript(reason: string): BuildScript {
  return scriptEndingWith([{ status: 'building', lines: [`ERROR: ${reason}`] }], 'build_failure', reason);
}

function scriptEndingWith(scenes: BuildScene[], status: AwaitedEnd['build'], reason?: string): BuildScript {
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
