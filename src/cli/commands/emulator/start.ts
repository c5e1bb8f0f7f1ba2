import { once } from 'node:events';
import type { Command as Commander } from '@commander-js/extra-typings';
import { approvalAddress, isPythonOnPath } from '../../../emulator/index.ts';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { UsageError } from '../../../kernel/errors.ts';
import {
  announceEmulator,
  detectShell,
  evaluationOf,
  exportCommands,
  findEmulator,
  letInstall,
  shells,
  stdinEnd,
} from '../../../local/emulator/index.ts';
import type { Context } from '../../../platform/context.ts';
import { defineCommand, type FlagsOf } from '../../command.ts';
import { defaultPort, emulatorEnvironment, emulatorFlags, startEmulatorFromFlags } from '../../flags/emulator.ts';
import { wholeNumberFlag } from '../../flags/values.ts';
import { choice, integer, record, stream, text } from '../../result-schema.ts';

export default defineCommand({
  configure: startFlags,
  beforeStart: (_, options) => checkFolderFlags(options),
  run: serve,
  verbatim: () => true,
  view:
    ({ environment, shell, url }) =>
    ({ terminal }) =>
      terminal ? useElsewhere(url, shell) : exportCommands(environment, shell),
  effect: 'changes',
  local: true,
  startsLocal: true,
  unattended: false,
  exits: ['not-found', 'conflict', 'project'],
  json: stream({
    url: text('URL of the emulator'),
    project: text('project id'),
    token: text('token; valid for this emulator only'),
    approveUrl: text('URL that lets your browser approve logins; keep it secret'),
    dashboard: text('URL of a page with apps, builds and runs; who has it can only look'),
    pid: integer('process id'),
    shell: choice(shells, 'the shell whose syntax is printed without --json'),
    environment: record(text('value'), 'environment variables for gantry and the official client'),
  }),
  details: [
    'Runs until Ctrl-C, and prints the variables that point a shell to it: `gantry emulator env` in a second shell. With --local, starts the emulator of this folder in the background.',
  ],
  examples: [
    'emulator start',
    'emulator start --data-dir .gantry --pace 300',
    'emulator start --local --install',
    'emulator start --fault createApp=503,429:2',
    'emulator start --allow-origin http://localhost:3000',
    'emulator start --port 0 --json',
  ],
});

type StartFlags = FlagsOf<typeof startFlags>;

function startFlags(command: Commander) {
  return emulatorFlags(command)
    .option('--port <number>', 'port to listen on', wholeNumberFlag(0, 65_535), defaultPort)
    .option('--end-with-stdin', 'end when stdin ends, and so with the process that started it');
}

/** Yields the emulator's URL and token, then runs it until Ctrl-C or `gantry emulator stop`. */
async function* serve(context: Context, flags: StartFlags) {
  if (context.flags.local) {
    yield await folderEmulator(context, flags);
    return;
  }
  const { endWithStdin, ...options } = flags;
  const { progress, signal, cwd, env } = context;
  const emulator = await startEmulatorFromFlags(context, { ...options, onWarning: progress.warn });
  const { url, project, token, stopRequested } = emulator;
  const environment = emulatorEnvironment(emulator);
  const announcement = announceEmulator(context, {
    command: 'emulator start',
    url,
    project,
    folder: cwd,
    apps: [],
    environment,
    dataFolder: flags.dataDir?.(cwd),
  });
  try {
    const shell = detectShell(env);
    progress.note(`emulator listening on ${url}; press Ctrl-C to stop`);
    progress.note(`to see apps, builds and runs, open ${emulator.dashboardUrl}`);
    progress.note(
      sentence`to approve logins (${gantryCommand`login`}), open ${emulator.approvalAddress} in your browser once`,
    );
    if (!isPythonOnPath()) progress.note('python3 not found: calls of apps are simulated');
    progress.note('to use it in this folder, pass --local; in another shell, type');
    const { approvalAddress: approveUrl, dashboardUrl: dashboard } = emulator;
    yield { url, project, token, approveUrl, dashboard, pid: process.pid, shell, environment };
    const ended = AbortSignal.any([signal, stopRequested, ...(endWithStdin ? [stdinEnd(context.stdin)] : [])]);
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    // `gantry emulator stop` waits for this: the data folder is free then.
    await emulator.close();
    announcement.withdraw();
  }
}

/** The emulator of the folder, which runs in the background by now. */
async function folderEmulator(context: Context, options: StartFlags) {
  checkFolderFlags(options);
  if (options.install) await letInstall(context, {});
  const { pid, url, project, environment } = findEmulator(context, undefined);
  const { GANTRY_TOKEN: token = '', GANTRY_DASHBOARD_URL: dashboard = '', GANTRY_EMULATOR_SECRET = '' } = environment;
  context.progress.note(
    sentence`the emulator of this folder listens on ${url}; ${gantryCommand`emulator stop`} ends it`,
  );
  const approveUrl = approvalAddress(url, GANTRY_EMULATOR_SECRET);
  return { url, project, token, approveUrl, dashboard, pid, shell: detectShell(context.env), environment };
}

/** The emulator of a folder has a port, data and settings of its own. */
function checkFolderFlags(options: StartFlags): void {
  const isTyped = Object.entries(untyped).some(([name, value]) => options[name as keyof StartFlags] !== value);
  if (!isTyped && (options.seed || 1) === 1) return;
  throw new UsageError('with --local, emulator start takes no other flag than --install', {
    why: 'the emulator of a folder has a port, data and settings of its own',
    fix: gantryCommand`emulator start --local`,
  });
}

const untyped: Partial<Record<keyof StartFlags, unknown>> = {
  allowOrigin: undefined,
  dataDir: undefined,
  endWithStdin: undefined,
  fault: undefined,
  late: undefined,
  now: undefined,
  pace: 0,
  port: defaultPort,
};

/** What a second shell runs: on a terminal, nothing reads the variables themselves. */
function useElsewhere(url: string, shell: Parameters<typeof evaluationOf>[1]): string {
  return `  ${evaluationOf(`gantry emulator env --port ${new URL(url).port}`, shell)}`;
}
