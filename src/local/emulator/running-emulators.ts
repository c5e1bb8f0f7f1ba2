import { join } from 'node:path';
import * as v from 'valibot';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { announce, readAnnouncements } from '../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
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

/** That of the variables, as inside of `gantry emulator exec`, or the one at the address of the target. */
export function emulatorOf(context: Context): Pick<RunningEmulator, 'port' | 'environment'> {
  const secret = readVariable(context.env, 'GANTRY_EMULATOR_SECRET');
  const url = readVariable(context.env, 'GANTRY_API_URL') ?? '';
  if (!secret || !URL.canParse(url)) return findRunningEmulator(context, Number(new URL(context.target.address).port));
  return { port: Number(new URL(url).port), environment: { GANTRY_EMULATOR_SECRET: secret } };
}
