import { settingDifferences } from '../apps/setting-fidelity.ts';
import type { AppSettings } from '../apps/settings.ts';
import type { BuildScene, NotStarted } from '../state/records.ts';

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
  pip: ['requirements.txt', '; gantry deploy --install does'],
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
