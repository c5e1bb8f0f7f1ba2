import type { Command as Commander } from '@commander-js/extra-typings';
import { type Emulator, parseFaultOption } from '../../emulator/index.ts';
import { wholeNumberFlag } from '../../flags.ts';

export interface EmulatorFlags {
  data?: string | undefined;
  pace: number;
  fault: string[];
}

/** What `emulator start` and `emulator exec` share. */
export function emulatorFlags(command: Commander) {
  return command
    .option('--data <dir>', 'keep apps, builds and uploads in this folder')
    .option('--pace <ms>', 'milliseconds that each stage of a build takes', wholeNumberFlag(0), 0)
    .option(
      '--fault <target=fault,…>',
      'let calls fail in turn: createApp=503,reset-after upload=expired build=slow',
      (text: string, all: string[]) => [...all, text],
      [] as string[],
    );
}

export function arrangeFaults(emulator: Emulator, faults: string[]): void {
  for (const text of faults) {
    const { target, faults: parsed } = parseFaultOption(text);
    emulator.fail(target, ...parsed);
  }
}

/** The variables that point gantry, and the official client, at an emulator. */
export function environmentOf({ url, project, token }: Emulator): Record<string, string> {
  return {
    GANTRY_API_URL: url,
    GANTRY_INFERENCE_URL: url,
    GANTRY_TOKEN: token,
    GANTRY_PROJECT: project,
    REST_API_URL: url,
    CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token,
    CEREBRIUM_PROJECT_ID: project,
  };
}
