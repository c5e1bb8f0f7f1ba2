import type { Command as Commander } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import {
  DamagedDataError,
  DataFolderInUseError,
  type Emulator,
  type EmulatorOptions,
  parseFaultOption,
  startEmulator,
} from '../../emulator/index.ts';
import { quoteForShell } from '../../kernel/command-line.ts';
import { ConflictError, FailedError, ProjectError, UsageError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/output/redact.ts';
import { pythonFolder } from '../../local/cache.ts';
import type { Context } from '../../platform/context.ts';
import { splitRoute } from '../../platform/contract/endpoint.ts';
import { oauthClientId, renewToken } from '../../platform/contract/session.ts';
import type { FlagsOf } from '../command.ts';
import { integer, text } from '../result-schema.ts';
import { pathFlag, timeFlag, wholeNumberFlag } from './values.ts';

type Faults = ReturnType<typeof parseFaultOption>;

type StartOptions = FlagsOf<typeof emulatorFlags> & { port: number } & Pick<
    EmulatorOptions,
    'onWarning' | 'onCall' | 'debugging' | 'trustOwner' | 'keepWarm' | 'installLine' | 'maxBuilds'
  >;

/** Flags of `emulator start` and `emulator exec`. */
export function emulatorFlags(command: Commander) {
  return command
    .option(...allowOriginFlag)
    .option('--data-dir <dir>', 'store apps, builds and uploads in this folder', pathFlag)
    .option('--seed <number>', 'random seed for three apps with 30 days of runs', wholeNumberFlag(0), 1)
    .option('--no-seed', 'start with an empty project')
    .option(...installFlag)
    .option('--pace <ms>', 'duration of each build stage, in ms', wholeNumberFlag(0), 0)
    .option('--late <ms>', 'show log lines and what is new so much later (default: 300)', wholeNumberFlag(0))
    .option(
      '--fault <target=fault,…>',
      'make requests fail in turn, such as createApp=503 (gantry help faults)',
      faultFlag,
    )
    .option('--now <time>', 'stop the clock at this time, so that each start has the same data', timeFlag);
}

/** Python environments are kept in the cache folder, so that the next emulator need not install them again. */
export const installFlag = ['--install', "install each app's pip packages, with uv if it is there"] as const;

export async function startEmulatorFromFlags(
  context: Pick<Context, 'cwd' | 'now' | 'secrets' | 'settings'>,
  flags: StartOptions,
): Promise<Emulator> {
  const { fault = [], now, seed, allowOrigin, dataDir, ...options } = flags;
  const time = now?.(context.now());
  // By default as late as the platform is, at least.
  const { pace, late = time === undefined ? 300 : 0 } = options;
  if (time !== undefined && (pace > 0 || late > 0)) {
    const [flag, why] = pace > 0 ? ['--pace', 'no build would end'] : ['--late', 'nothing new would show'];
    throw new UsageError(`--now cannot be combined with ${flag}`, { why: `--now stops the clock, and ${why}` });
  }
  const emulator = await startEmulator({
    ...options,
    late,
    packages: pythonFolder(context.settings.folders.cache),
    data: dataDir?.(context.cwd),
    hideSecrets: (text) => redact(text, context.secrets),
    allowOrigins: allowOrigin,
    ...(seed === false ? { hasAccount: false } : { seed }),
    ...(time !== undefined && { now: () => time }),
  }).catch((cause) => {
    throw startFailure(cause, options.port);
  });
  for (const { target, faults } of fault) emulator.fail(target, ...faults);
  return emulator;
}

/** {@link startEmulatorFromFlags} on the given port, or else on the first free one from the default up. */
export async function startOnFreePort(
  context: Pick<Context, 'cwd' | 'now' | 'progress' | 'secrets' | 'settings'>,
  { port, lastPort, ...flags }: Omit<StartOptions, 'port'> & Partial<Record<'port' | 'lastPort', number | undefined>>,
): Promise<Emulator> {
  if (port !== undefined) return startEmulatorFromFlags(context, { ...flags, port });
  const [wanted = 0, ...others] = [...(lastPort ? [lastPort] : []), ...freePorts];
  for (let next = wanted; ; next = others.shift() ?? 0) {
    try {
      const emulator = await startEmulatorFromFlags(context, { ...flags, port: next });
      if (next !== wanted) context.progress.note(`port ${wanted} is in use; listening on ${emulator.url}`);
      return emulator;
    } catch (error) {
      const { code } = Object((error as Error).cause) as NodeJS.ErrnoException;
      // Windows reserves ranges of ports.
      if (next === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    }
  }
}

export const defaultPort = 4100;
const freePorts = [...Array.from({ length: 20 }, (_, at) => defaultPort + at), 0];

function startFailure(cause: NodeJS.ErrnoException, port: number): Error {
  if (cause instanceof DamagedDataError) {
    const { message, file } = cause;
    const fix = `move it away to start without it: mv ${quoteForShell(file)} ${quoteForShell(`${file}.damaged`)}`;
    return new ProjectError(message, [{ severity: 'error', message, fix }], { cause });
  }
  if (cause instanceof DataFolderInUseError) {
    const { message, folder, pid } = cause;
    const fix = 'stop that emulator, or pass another folder: --data-dir <dir>';
    return new ConflictError(message, { fix, details: { folder, pid }, cause });
  }
  if (cause.code === 'EADDRINUSE') {
    return new FailedError(`port ${port} is in use`, { fix: 'use a free port', retryWith: ['--port', '0'], cause });
  }
  // Other errors with a code are the machine's: no permission, no space, a file in place of the folder.
  return cause.code === undefined ? cause : new FailedError(`cannot start the emulator: ${cause.message}`, { cause });
}

/** Environment variables for gantry and the official client to use an emulator. */
export function emulatorEnvironment(emulator: Emulator): Record<string, string> {
  const { url, project, token, approvalSecret } = emulator;
  return {
    GANTRY_API_URL: url,
    GANTRY_INFERENCE_URL: url,
    GANTRY_LOGS_URL: url,
    GANTRY_DASHBOARD_URL: emulator.dashboardUrl,
    GANTRY_TOKEN: token,
    GANTRY_PROJECT: project,
    // The official client keeps logins and the chosen project of each environment apart.
    CEREBRIUM_ENV: 'local',
    REST_API_URL: url,
    AUTH_URL: url + splitRoute(renewToken.route).path,
    CLIENT_ID: oauthClientId,
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
originFlag.valueKind = 'list';

export const allowOriginFlag = [
  '--allow-origin <url>',
  'allow web pages of this origin to call apps (repeatable)',
  originFlag,
] as const;

/** What names an emulator that runs. */
export const emulatorFields = {
  pid: integer('process id'),
  port: integer('port of the emulator'),
  url: text('URL of the emulator'),
};

export const portFlag = [
  '--port <number>',
  'port of the emulator, if several are running',
  wholeNumberFlag(1, 65_535),
] as const;

function faultFlag(text: string, all: Faults[] = []): Faults[] {
  try {
    return [...all, parseFaultOption(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
faultFlag.valueKind = 'list';
