import type { AppSettings } from '../apps/settings.ts';
import type { BuildFault } from '../faults/faults.ts';
import type { BuildScene, BuildScript } from '../state/records.ts';
import { buildFaults } from './faults.ts';
import { type BuildInput, buildStages, startLines } from './stages.ts';

/** The script of a build; a fault asked for twists it. */
export function createBuildScript(job: BuildInput, fault?: BuildFault): BuildScript {
  const script = play(job);
  return fault ? buildFaults[fault](script) : script;
}

/** Files of an archive a build reads. The rest it only copies. */
export function filesToRead(settings: AppSettings): string[] {
  return ['requirements.txt', 'conda_pkglist.txt', 'pkglist.txt', dockerfile(settings) ?? ''];
}

function play(job: BuildInput): BuildScript {
  const { settings, archive } = job;
  if (archive instanceof Error) return broken(`the archive cannot be unpacked: ${archive.message}`);

  const recipe = dockerfile(settings);
  if (recipe && !archive?.files.has(recipe)) return broken(`${recipe} is not in the archive`);

  const stages = buildStages(job, recipe).filter((lines) => lines.length > 0);
  const failing = stages.flat().find((line) => failingCommand.test(line));
  if (failing) return stoppedAt(failing, stages);

  const building = stages.map((lines) => ({ status: 'building' as const, lines }));
  const missing = archive && !recipe && !archive.files.has('main.py') && whyMainIsNeeded(settings);
  return missing
    ? ending([...building, starting(settings, `ERROR: ${missing}`)], 'init_failure', missing)
    : ending([...building, starting(settings, 'App is ready')], 'success');
}

/** Commands are echoed, not run; of these two everybody knows how they would end. */
const failingCommand = /^\+ (false|exit +[1-9]\d*)$/;

function stoppedAt(command: string, stages: string[][]): BuildScript {
  const last = stages.findIndex((lines) => lines.includes(command));
  const reason = `the command "${command.slice(2)}" failed`;
  const scenes = stages.slice(0, last + 1).map((lines, index) => ({
    status: 'building' as const,
    lines: index === last ? [...lines.slice(0, lines.indexOf(command) + 1), `ERROR: ${reason}`] : lines,
  }));
  return ending(scenes, 'build_failure', reason);
}

/** `./docker/Dockerfile` gives `docker/Dockerfile`: as the archive names it. */
function dockerfile({ runtime, dockerfilePath }: AppSettings): string | undefined {
  return runtime === 'custom' ? dockerfilePath?.replace(/^\.?\//, '') : undefined;
}

function broken(reason: string): BuildScript {
  return ending([{ status: 'building', lines: [`ERROR: ${reason}`] }], 'build_failure', reason);
}

function ending(scenes: BuildScene[], status: string, reason?: string): BuildScript {
  return { scenes, end: reason ? { status, reason } : { status } };
}

function starting(settings: AppSettings, lastLine: string): BuildScene {
  return { status: 'initializing', lines: [...startLines(settings), lastLine] };
}

/** The default runtime loads `main.py`; a server of the user's own may, as in `uvicorn main:app`. */
function whyMainIsNeeded({ runtime, entrypoint }: AppSettings): string | undefined {
  if (runtime === 'cortex') return 'main.py is not in the archive: the cortex runtime loads it';
  const words = entrypoint.flatMap((part) => part.split(/\s+/));
  const named = words.find((word) => /^(main:[a-z_]\w*|(\.\/|\/cortex\/)?main\.py)$/i.test(word));
  return named && `main.py is not in the archive: the entrypoint names ${named}`;
}
