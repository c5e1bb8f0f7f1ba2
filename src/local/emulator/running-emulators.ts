import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { announce, readAnnouncements } from '../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { attempt, ConflictError, FailedError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { createSender } from '../../platform/api/sender.ts';
import { realFolder, resolveFolders } from '../../platform/config/folders.ts';
import type { Context } from '../../platform/context.ts';

const RunningEmulatorSchema = v.object({
  command: v.picklist(['dev', 'emulator start']),
  pid: v.number(),
  port: v.number(),
  url: v.string(),
  project: v.string(),
  folder: v.string(),
  folders: v.optional(v.array(v.string()), []),
  apps: v.array(v.string()),
  dataFolder: v.optional(v.string()),
  startedAt: v.string(),
  /** Variables that point gantry and the official client to it, its token among them. */
  environment: v.record(v.string(), v.string()),
});

/** An emulator that this user runs on this machine. */
export type RunningEmulator = v.InferOutput<typeof RunningEmulatorSchema>;

/**
 * Lets `gantry emulator env` and `gantry emulator stop` find an emulator of this process. Without a writable state folder
 * they cannot, which is noted.
 */
export function announceEmulator(
  { env, progress, now }: Context,
  emulator: Omit<v.InferInput<typeof RunningEmulatorSchema>, 'pid' | 'port' | 'startedAt'>,
): { update(changes: Partial<RunningEmulator>): void; withdraw(): void } {
  const { pid } = process;
  const content = {
    ...emulator,
    pid,
    port: Number(new URL(emulator.url).port),
    startedAt: new Date(now()).toISOString(),
  };
  try {
    const announcement = announce(folderOf(env), content);
    return { ...announcement, update: (changes) => announcement.update({ ...content, ...changes }) };
  } catch (error) {
    progress.note(sentence`${gantryCommand`emulator env`} will not find this emulator: ${(error as Error).message}`);
    return { update: () => {}, withdraw: () => {} };
  }
}

/** The emulators that this user runs on this machine, by port. */
export function listRunningEmulators({ env }: Pick<Context, 'env'>): RunningEmulator[] {
  return readAnnouncements(folderOf(env))
    .flatMap((content) => {
      const parsed = v.safeParse(RunningEmulatorSchema, content);
      return parsed.success ? [parsed.output] : [];
    })
    .sort((a, b) => a.port - b.port);
}

/** The emulator that listens at a URL, if one does. */
export function findEmulatorAt(context: Pick<Context, 'env'>, address: string): RunningEmulator | undefined {
  return listRunningEmulators(context).find(({ url }) => url === address);
}

/** The only emulator, the one of this folder, or the one on this port. Throws NotFoundError, or UsageError if there are several. */
export function findRunningEmulator(context: Context, port: number | undefined): RunningEmulator {
  const all = listRunningEmulators(context);
  const chosen = port === undefined ? all : all.filter((emulator) => emulator.port === port);
  const here = chosen.filter(({ folder }) => realFolder(folder) === realFolder(context.cwd));
  const emulators = here.length > 0 ? here : chosen;
  const [only, ...others] = emulators;
  if (!only) {
    const which = port === undefined ? 'is running' : `of yours is running on port ${port}`;
    const fix = all.length > 0 ? gantryCommand`emulator list` : gantryCommand`emulator start`;
    throw new NotFoundError(`no emulator ${which}`, { fix });
  }
  if (others.length === 0) return only;
  throw new UsageError(`${emulators.length} emulators are running`, {
    why: emulators.map(({ port, command, folder }) => `port ${port}: gantry ${command} in ${folder}`).join('\n'),
    fix: 'name one',
    retryWith: ['--port', `${only.port}`],
  });
}

function folderOf(env: Environment): string {
  return join(resolveFolders(env).state, 'emulators');
}

/** The variables of this process, as inside of `gantry emulator exec`, or of the emulator at the address of the target. */
function variablesOf(context: Context): Environment {
  const { GANTRY_EMULATOR_SECRET: secret, GANTRY_API_URL: url } = context.env;
  if (secret && url) return context.env;
  return findRunningEmulator(context, Number(new URL(context.target.address).port)).environment;
}

/** Asks an emulator of this user for what the platform lacks, whatever the settings are. ConflictError if it refuses. */
async function controlEmulator(
  { secrets, signal, silenceMs }: Context,
  { GANTRY_EMULATOR_SECRET: secret, GANTRY_API_URL: address }: Environment,
  action: 'stop' | 'install',
): Promise<void> {
  secrets.add(secret);
  const url = new URL(`/emulator/${action}`, address);
  const body = JSON.stringify({ secret });
  const send = await createSender(undefined);
  const reply = await send({ method: 'POST', url, headers: {}, body, signal, silenceMs });
  const { status } = reply;
  if (status < 300) return;
  const { message: said = `HTTP ${status}` } = Object(tryParseJson(reply.body));
  const message = `the emulator on port ${url.port}: ${said}`;
  throw status === 409 ? new ConflictError(message) : new FailedError(message);
}

/** From now on, the target installs the packages of every app. Throws UsageError if it is no emulator. */
export async function letInstall(
  context: Context,
  { dryRun = false }: { dryRun?: boolean | undefined },
): Promise<void> {
  if (context.target.platform.value !== 'emulator') {
    throw new UsageError('--install is for an emulator', {
      why: 'the platform installs the packages of every build',
      fix: gantryCommand`deploy`,
    });
  }
  if (!dryRun) await controlEmulator(context, variablesOf(context), 'install');
}

/** Ends an emulator as Ctrl-C would, and waits until its process has cleaned up. Throws FailedError if it does not end. */
export async function stopEmulator(context: Context, { pid, port, environment }: RunningEmulator): Promise<void> {
  const { delay, elapsed } = context;
  await controlEmulator(context, environment, 'stop');
  const started = elapsed();
  while (listRunningEmulators(context).some((other) => other.pid === pid && other.port === port)) {
    if (elapsed() - started > maxWaitMs) {
      throw new FailedError(`the emulator on port ${port} is still running`, { fix: `end its process: kill ${pid}` });
    }
    await delay(pollMs);
  }
}

/** Apps get two seconds to end. */
const maxWaitMs = 10_000;
const pollMs = 50;

/** With `dotenv`, a file of variables, as GitHub Actions and docker read it. */
export const shells = ['sh', 'fish', 'powershell', 'cmd', 'dotenv'] as const;
type Shell = (typeof shells)[number];

/** The shell that runs gantry: the parent process where the system shows it, else by its variables. */
export function detectShell(env: Environment, platform = process.platform, parent = parentName()): Shell {
  const name = shellNamed(parent) ?? shellNamed(readVariable(env, 'SHELL'));
  if (name) return name;
  if (platform !== 'win32') return 'sh';
  // PowerShell adds the user's own modules, or those of its version, to the variable that every process has.
  return /\\Documents\\|\\PowerShell\\\d/i.test(readVariable(env, 'PSModulePath') ?? '') ? 'powershell' : 'cmd';
}

function shellNamed(path: string | undefined): Shell | undefined {
  const name = basename((path ?? '').replaceAll('\\', '/')).replace(/\.exe$/i, '');
  if (name === 'fish') return 'fish';
  if (name === 'pwsh' || name === 'powershell') return 'powershell';
  return /^(ba|z|da|k|mk|a)?sh$/.test(name) ? 'sh' : undefined;
}

function parentName(): string | undefined {
  return attempt(() => readFileSync(`/proc/${process.ppid}/comm`, 'utf8').trim());
}

const single = (value: string, escaped: string) => `'${value.replaceAll("'", escaped)}'`;

const assignments: Record<Shell, (name: string, value: string) => string> = {
  sh: (name, value) => `export ${name}=${single(value, `'\\''`)}`,
  fish: (name, value) => `set -gx ${name} ${single(value.replaceAll('\\', '\\\\'), `\\'`)}`,
  powershell: (name, value) => `$env:${name} = ${single(value, `''`)}`,
  cmd: (name, value) => `set "${name}=${value}"`,
  dotenv: (name, value) => `${name}=${value}`,
};

/** Commands that set these variables. */
export function exportCommands(environment: Record<string, string>, shell: Shell): string {
  return Object.entries(environment)
    .map(([name, value]) => assignments[shell](name, value))
    .join('\n');
}

/** The command line that runs what `gantry WORDS` prints. */
export function evaluationOf(command: string, shell: Shell): string {
  if (shell === 'fish') return `${command} | source`;
  if (shell === 'powershell') return `${command} | Out-String | Invoke-Expression`;
  if (shell === 'cmd') return `for /f "delims=" %i in ('${command}') do @%i`;
  return `eval "$(${command})"`;
}
