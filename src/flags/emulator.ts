import type { Command as Commander } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import { type Emulator, parseFaultOption, startEmulator } from '../emulator/index.ts';
import { FailedError } from '../errors.ts';
import { wholeNumberFlag } from './values.ts';

export interface EmulatorFlags {
  data?: string | undefined;
  pace: number;
  install?: true | undefined;
  fault?: Faults[] | undefined;
  /** `false` is an empty project. */
  seed: number | false;
}

type Faults = ReturnType<typeof parseFaultOption>;

/** What `emulator start` and `emulator exec` share. */
export function emulatorFlags(command: Commander) {
  return command
    .option('--data <dir>', 'keep apps, builds and uploads in this folder')
    .option(
      '--seed <number>',
      'begin with three apps and 30 days of their runs, made from this number',
      wholeNumberFlag(0),
      1,
    )
    .option('--no-seed', 'begin with an empty project')
    .option('--install', 'install what each app needs with pip; without it nothing is installed')
    .option('--pace <ms>', 'milliseconds that each stage of a build takes', wholeNumberFlag(0), 0)
    .option(
      '--fault <target=fault,…>',
      'let calls fail in turn, as in createApp=503,429:2 (see gantry help faults)',
      faultFlag,
    );
}

/** Starts an emulator in which the faults asked for lie in wait. */
export async function emulatorFor({
  fault = [],
  seed,
  ...options
}: EmulatorFlags & { port: number }): Promise<Emulator> {
  const seeded = { ...options, ...(seed !== false && { seed }) };
  const emulator = await startEmulator(seeded).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new FailedError(`port ${options.port} is taken`, {
      fix: 'use another one: --port 0 picks a free one',
      cause,
    });
  });
  for (const { target, faults } of fault) emulator.fail(target, ...faults);
  return emulator;
}

/** The variables that point gantry, and the official client, at an emulator. */
export function environmentOf({ url, project, token }: Emulator): Record<string, string> {
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
  };
}

function faultFlag(text: string, all: Faults[] = []): Faults[] {
  try {
    return [...all, parseFaultOption(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
