import { join } from 'node:path';
import type { Command as Commander } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import {
  DamagedDataError,
  DataFolderInUseError,
  type Emulator,
  parseFaultOption,
  startEmulator,
} from '../emulator/index.ts';
import { ConflictError, FailedError, ProjectError } from '../errors.ts';
import { sizeFlag, wholeNumberFlag } from './values.ts';

export interface EmulatorFlags {
  dataDir?: string | undefined;
  pace: number;
  install?: true | undefined;
  allowOrigin?: string[] | undefined;
  maxUnpacked?: number | undefined;
  fault?: Faults[] | undefined;
  /** `false`: an empty project. */
  seed: number | false;
}

type Faults = ReturnType<typeof parseFaultOption>;

/** Flags of `emulator start` and `emulator exec`. */
export function emulatorFlags(command: Commander) {
  return command
    .option(...allowOriginFlag)
    .option('--data-dir <dir>', 'store apps, builds and uploads in this folder')
    .option('--seed <number>', 'random seed for three apps with 30 days of runs', wholeNumberFlag(0), 1)
    .option('--no-seed', 'start with an empty project')
    .option('--max-unpacked <size>', "maximum unpacked size of an app's archive (default: 4GiB)", sizeFlag(1))
    .option(...installFlag)
    .option('--pace <ms>', 'duration of each build stage in milliseconds', wholeNumberFlag(0), 0)
    .option(
      '--fault <target=fault,…>',
      'make requests fail in turn, for example createApp=503,429:2 (see gantry help faults)',
      faultFlag,
    );
}

/** Python environments are kept in the cache folder, so that the next emulator need not install them again. */
export const installFlag = ['--install', "install each app's pip packages, with uv if it is there"] as const;

/** Starts an emulator with the flags' faults. Throws errors with a fix if it cannot start. */
export async function startEmulatorFromFlags(
  { settings }: Context,
  {
    fault = [],
    seed,
    allowOrigin,
    maxUnpacked,
    dataDir,
    ...options
  }: EmulatorFlags & { port: number; onWarning?: (text: string) => void },
): Promise<Emulator> {
  const emulator = await startEmulator({
    ...options,
    packages: join(settings.folders.cache, 'python'),
    data: dataDir,
    allowOrigins: allowOrigin,
    unpackedBytes: maxUnpacked,
    ...(seed !== false && { seed }),
  }).catch((cause) => {
    throw startFailure(cause, options.port);
  });
  for (const { target, faults } of fault) emulator.fail(target, ...faults);
  return emulator;
}

function startFailure(cause: NodeJS.ErrnoException, port: number): Error {
  if (cause instanceof DamagedDataError) {
    const { message, file } = cause;
    const fix = `move it away to start without it: mv ${quoteForShell(file)} ${quoteForShell(`${file}.damaged`)}`;
    return new ProjectError(message, [{ severity: 'error', message, fix }], { fix, cause });
  }
  if (cause instanceof DataFolderInUseError) {
    const { message, folder, pid } = cause;
    const fix = 'stop that emulator, or pass another folder: --data-dir <dir>';
    return new ConflictError(message, { fix, details: { folder, pid }, cause });
  }
  if (cause.code === 'EADDRINUSE') {
    return new FailedError(`port ${port} is in use`, { fix: 'pass --port 0 to use a free port', cause });
  }
  // Other errors with a code are the machine's: no permission, no space, a file in place of the folder.
  return cause.code === undefined ? cause : new FailedError(`cannot start the emulator: ${cause.message}`, { cause });
}

/** For a POSIX shell. */
function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Environment variables for gantry and the official client to use an emulator. */
export function emulatorEnvironment({ url, project, token, approvalSecret }: Emulator): Record<string, string> {
  return {
    GANTRY_API_URL: url,
    GANTRY_INFERENCE_URL: url,
    GANTRY_LOGS_URL: url,
    GANTRY_TOKEN: token,
    GANTRY_PROJECT: project,
    REST_API_URL: url,
    LOGSTREAM_URL: url.replace('http', 'ws'),
    CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token,
    CEREBRIUM_PROJECT_ID: project,
    // Not read by gantry: scripts approve logins with it (POST /activate).
    GANTRY_EMULATOR_SECRET: approvalSecret,
  };
}

/** An origin, such as `http://localhost:3000`. */
function originFlag(text: string, all: string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Expected an origin such as http://localhost:3000.');
  }
  return [...all, url.origin];
}

export const allowOriginFlag = [
  '--allow-origin <url>',
  'allow web pages of this origin to call apps (repeatable)',
  originFlag,
] as const;

function faultFlag(text: string, all: Faults[] = []): Faults[] {
  try {
    return [...all, parseFaultOption(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
