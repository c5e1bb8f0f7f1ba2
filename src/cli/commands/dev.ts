import { on } from 'node:events';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command as Commander } from '@commander-js/extra-typings';
import { isSecretVariable } from '../../app/secret-value.ts';
import { DebugRelay, findPython, type OnBreakpoint } from '../../emulator/index.ts';
import { FailedError, systemCode } from '../../kernel/errors.ts';
import { DevSession, findAppFolders, type ReadyApp } from '../../local/dev/index.ts';
import { detectShell, evaluationOf, takeFolderData } from '../../local/emulator/index.ts';
import type { Context } from '../../platform/context.ts';
import type { Secrets } from '../../platform/contract/secrets.ts';
import { readSecretsFile } from '../../team/secrets.ts';
import { defineCommand, type FlagsOf } from '../command.ts';
import { withConfigFile } from '../flags/app.ts';
import { allowOriginFlag, emulatorEnvironment, installFlag, startOnFreePort } from '../flags/emulator.ts';
import { wholeNumberFlag } from '../flags/values.ts';
import {
  boolean,
  choice,
  integer,
  list,
  locationShape,
  nullable,
  number,
  optional,
  stream,
  text,
} from '../result-schema.ts';
import { DevPrinter } from '../views/dev-printer.ts';

const app = text('app name');

const at = text('when, RFC 3339, UTC');

const changed = list(text('path'), 'changed files; empty if a reload was asked for');

const run = text('run id');

const devEvents = stream(
  {
    type: choice(['ready'], 'the app can be called; printed again if it gets another name'),
    app,
    endpoint: text('URL of the app'),
    curl: text('a command that calls the app; empty if main.py has no function'),
    dashboard: text('URL of the page of the app; keep it secret'),
    url: text('URL of the emulator'),
    project: text('project of the emulator'),
    token: text('token of the emulator; not valid anywhere else'),
    approveUrl: text('URL that lets a browser approve logins; keep it secret'),
    build: text('build id'),
    debugPort: optional(integer('port where an editor can attach')),
  },
  {
    type: choice(['reload'], 'a new version is running'),
    app,
    at,
    build: text('build id'),
    changed,
    durationMs: integer('from the save to the end of the build'),
  },
  {
    type: choice(['problem'], 'the app was not reloaded; one line per problem'),
    app,
    at,
    changed,
    severity: choice(['error', 'warning'], 'a warning alone stops nothing'),
    message: text('what is wrong'),
    why: optional(text('the reason')),
    fix: optional(text('what to do about it')),
    location: optional(locationShape),
    servingSince: nullable(text('when the version that is still running was deployed')),
  },
  {
    type: choice(['request'], 'a call of the app has ended'),
    app,
    at,
    method: text('HTTP method'),
    path: text('path below the app, with the query'),
    statusCode: nullable(integer('HTTP status'), 'the caller disconnected before the response'),
    durationMs: number('until the last byte of the response'),
    kind: choice(
      ['call', 'accepted', 'ended', 'websocket'],
      'an asynchronous call is accepted, and its run has ended later',
    ),
    isComplete: boolean('whether the whole response was sent, or the WebSocket was closed'),
    runStatusCode: optional(
      integer(
        'status of the run if its response or WebSocket broke off, 0 if it was canceled; absent if the caller disconnected',
      ),
    ),
    run: optional(run),
  },
  {
    type: choice(['log'], 'a line that the app printed'),
    app,
    at,
    stream: choice(['stdout', 'stderr'], 'where to'),
    line: text('the line'),
    run: optional(run),
  },
);

export default defineCommand({
  configure: devFlags,
  flagRules: { requires: { waitForClient: ['debugPort'] } },
  run: serve,
  verbatim: () => true,
  view: ({ endpoint, curl }) => [endpoint, curl].filter(Boolean).join('\n'),
  effect: 'changes',
  local: true,
  unattended: false,
  exits: ['input-needed', 'not-found', 'conflict', 'denied', 'project', 'unavailable'],
  json: devEvents,
  details: [
    'Prints calls, logs and errors. If a change fails to build, the previous version keeps running.',
    'In this folder, invoke, logs and cp use it with --local. --debug-port lets an editor attach.',
  ],
  examples: ['dev', 'dev ../other-app --port 0', 'dev apps', 'dev --from-env-file .env --open', 'dev --debug-port'],
});

function devFlags(command: Commander) {
  return withConfigFile(command)
    .argument('[dir...]', 'app folders, or folders of app folders', ['.'])
    .option('--port <number>', 'port to listen on (default: as before in this folder, or from 4100)', parsePort)
    .option('--pace <ms>', 'duration of each build stage, in ms', wholeNumberFlag(0), 0)
    .option(...installFlag)
    .option(...allowOriginFlag)
    .option('--from-env-file <file>', '.env or JSON file with secrets for the app; watched as well')
    .option('--open', 'open the app in the browser once it is ready')
    .option(...debugPortFlag, parsePort)
    .option('--wait-for-client', 'start the app when an editor has attached');
}

/** Yields the URLs of each app once it is ready, then deploys it again on every change until Ctrl-C. */
async function* serve(context: Context, given: string[], options: FlagsOf<typeof devFlags>) {
  const { configFile, fromEnvFile, open, debugPort, waitForClient = false, ...emulatorOptions } = options;
  const { interruption, cwd } = context;
  const folders = findAppFolders(cwd, given, configFile);
  const readSecrets = await secretsReader(context, fromEnvFile);
  if (fromEnvFile === undefined) nameEnvFiles(context, folders);
  const running: { dev?: DevSession; print?: DevPrinter } = {};
  const several = folders.length > 1;
  const folderData = await takeFolderData(context, several ? cwd : (folders[0] ?? cwd));
  const relays = await openDebugRelays(folders, debugPort, waitForClient);
  const quit = new AbortController();
  const keys = await context.prompt.listenForKeys((key) => running.dev?.press(key, () => quit.abort()));
  const close = () => {
    keys?.stop();
    for (const relay of relays.values()) relay.close();
  };
  const onBreakpoint: OnBreakpoint = async (stream, place) => {
    running.print?.breakpoint(place);
    await keys?.lend(stream);
  };
  const emulator = await startOnFreePort(context, {
    ...emulatorOptions,
    debugging: {
      relayOf: (app) => relays.get(running.dev?.folderOf(app) ?? ''),
      // The breakpoints of several apps would share the terminal.
      onBreakpoint: keys && !several ? onBreakpoint : undefined,
    },
    seed: false,
    ...(folderData && { dataDir: () => folderData.data, lastPort: folderData.port }),
    trustOwner: true,
    // Each reload would wait.
    late: 0,
    keepWarm: true,
    installLine: 'gantry dev --install',
    maxBuilds: 20,
    onCall: ({ app, ...call }) => running.print?.call(app, call),
  }).catch((error) => {
    close();
    throw error;
  });
  await folderData?.remember(emulatorEnvironment(emulator));
  interruption.message = '';
  const signal = AbortSignal.any([context.signal, emulator.stopRequested, quit.signal]);
  signal.addEventListener('abort', close, { once: true });
  const environmentCommand = evaluationOf('gantry emulator env', detectShell(context.env));
  const print = new DevPrinter(context, { several, hasKeys: keys !== undefined, environmentCommand });
  const debugPorts = new Map([...relays].map(([folder, { port }]) => [folder, port]));
  const dev = new DevSession(
    context,
    { ...emulator, environment: emulatorEnvironment(emulator) },
    {
      signal,
      print,
      folders,
      several,
      debugPorts,
      open: open === true,
    },
  );
  Object.assign(running, { dev, print });
  // Listens before an app can be ready.
  const versions = on(dev.ready, 'ready', { signal });
  const apps = folders.map((folder) => dev.run(folder, { configFile, fromEnvFile, readSecrets }));
  try {
    await warnWithoutPython(context);
    if (waitForClient) print.waiting([...debugPorts.values()]);
    Promise.all(apps).catch((error: Error) => dev.ready.emit('error', error));
    for await (const [version] of versions) {
      yield version as ReadyApp;
      // Below what was just printed.
      print.explain(true);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    quit.abort();
    await Promise.allSettled(apps);
    dev.end();
    await emulator.close();
  }
}

/** Reads the file at once, so that a missing one ends the command. */
async function secretsReader(context: Context, file: string | undefined): Promise<() => Promise<Secrets>> {
  const read = async () => (file === undefined ? {} : readSecretsFile(context, file, isSecretVariable));
  const first = await read();
  return async () => (file === '-' ? first : read());
}

/** Such a file is not sent, and many frameworks read it by themselves: its values may be missed. */
function nameEnvFiles({ cwd, progress }: Context, folders: readonly string[]): void {
  for (const folder of folders) {
    const file = relative(cwd, join(folder, '.env'));
    if (existsSync(join(folder, '.env'))) {
      progress.note(`${file} is not sent; to pass its values to the app as secrets: --from-env-file ${file}`);
    }
  }
}

async function warnWithoutPython({ progress }: Context): Promise<void> {
  if (await findPython()) return;
  progress.warn({
    severity: 'warning',
    message: 'calls are simulated: python3 not found',
    why: 'without Python the app does not run; responses repeat the request',
  });
}

/** What most editors propose for debugpy. */
const defaultPort = 5678;

const debugPortFlag = ['--debug-port [number]', `let an editor attach here (default: ${defaultPort})`] as const;

const parsePort = wholeNumberFlag(0, 65_535);

/** Opens a port for each app, by its folder, one after the other: the first at `port`; none without that. Throws a FailedError if one is in use. */
async function openDebugRelays(folders: readonly string[], port: number | true | undefined, waits: boolean) {
  const relays = new Map<string, DebugRelay>();
  if (port === undefined) return relays;
  const first = port === true ? defaultPort : port;
  for (const [index, folder] of folders.entries()) {
    const next = first === 0 ? 0 : first + index;
    try {
      relays.set(folder, await DebugRelay.open({ port: next, folder, waits }));
    } catch (cause) {
      for (const relay of relays.values()) relay.close();
      const reason = systemCode(cause) === 'EADDRINUSE' ? 'is in use' : 'cannot be used';
      throw new FailedError(`port ${next} for the debugger ${reason}`, {
        fix: 'use a free port',
        retryWith: ['--debug-port', '0'],
        cause,
      });
    }
  }
  return relays;
}
