import type { Command as Commander } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
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
  data?: string | undefined;
  pace: number;
  install?: true | undefined;
  allowOrigin?: string[] | undefined;
  maxUnpacked?: number | undefined;
  fault?: Faults[] | undefined;
  /** `false` is an empty project. */
  seed: number | false;
}

type Faults = ReturnType<typeof parseFaultOption>;

/** What `emulator start` and `emulator exec` share. */
export function emulatorFlags(command: Commander) {
  return command
    .option(...allowOriginFlag)
    .option('--data <dir>', 'keep apps, builds and uploads in this folder')
    .option(
      '--seed <number>',
      'begin with three apps and 30 days of their runs, made from this number',
      wholeNumberFlag(0),
      1,
    )
    .option('--no-seed', 'begin with an empty project')
    .option('--max-unpacked <size>', 'most bytes that the archive of an app may unpack to', sizeFlag(1), 4 * 1024 ** 3)
    .option('--install', 'install what each app needs with pip; without it nothing is installed')
    .option('--pace <ms>', 'milliseconds that each stage of a build takes', wholeNumberFlag(0), 0)
    .option(
      '--fault <target=fault,…>',
      'let calls fail in turn, as in createApp=503,429:2 (see gantry help faults)',
      faultFlag,
    );
}

/** Starts an emulator in which the faults asked for lie in wait. */
export async function startEmulatorFromFlags({
  fault = [],
  seed,
  allowOrigin,
  maxUnpacked,
  ...options
}: EmulatorFlags & { port: number; onWarning?: (text: string) => void }): Promise<Emulator> {
  const emulator = await startEmulator({
    ...options,
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
    const fix = `set it aside to start without it: mv ${quoteForShell(file)} ${quoteForShell(`${file}.damaged`)}`;
    return new ProjectError(message, [{ severity: 'error', message, fix }], { fix, cause });
  }
  if (cause instanceof DataFolderInUseError) {
    const { message, folder, pid } = cause;
    const fix = 'stop that emulator, or use another folder: --data <dir>';
    return new ConflictError(message, { fix, details: { folder, pid }, cause });
  }
  if (cause.code === 'EADDRINUSE') {
    return new FailedError(`port ${port} is taken`, { fix: 'use another one: --port 0 picks a free one', cause });
  }
  // Everything else with a code is the machine's: no permission, no space, a file in place of the folder.
  return cause.code === undefined ? cause : new FailedError(`cannot start the emulator: ${cause.message}`, { cause });
}

/** For a POSIX shell. */
function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The variables that point gantry, and the official client, at an emulator. */
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
    // gantry does not read it: a script approves its login with it (POST /activate).
    GANTRY_EMULATOR_SECRET: approvalSecret,
  };
}

/** `http://localhost:3000`: what browsers send as the origin of a page. */
function originFlag(text: string, all: string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('Write the origin of a web page such as http://localhost:3000.');
  }
  return [...all, url.origin];
}

/** Web pages of all other origins are refused. */
export const allowOriginFlag = [
  '--allow-origin <url>',
  'let web pages of this origin call apps (repeatable)',
  originFlag,
] as const;

function faultFlag(text: string, all: Faults[] = []): Faults[] {
  try {
    return [...all, parseFaultOption(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
