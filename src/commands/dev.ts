import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { toAppId } from '../contract/endpoint.ts';
import { type Emulator, findPython } from '../emulator/index.ts';
import { allowOriginFlag, emulatorEnvironment, installFlag, startEmulatorFromFlags } from '../flags/emulator.ts';
import { wholeNumberFlag } from '../flags/values.ts';
import { type AppVersion, develop, sampleCall } from '../operations/dev/index.ts';
import { readSecretsFile } from '../operations/secrets/index.ts';
import { duration } from '../output/format.ts';
import { wrapCommand } from '../output/wrap-command.ts';
import { stream, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[dir]', 'app folder', '.')
      .option('--port <number>', 'port to listen on; 0 picks a free one', wholeNumberFlag(0, 65_535), 4100)
      .option('--pace <ms>', 'duration of each build stage, in ms', wholeNumberFlag(0), 0)
      .option(...installFlag)
      .option(...allowOriginFlag)
      .option('--env-file <file>', '.env or JSON file with secrets for the app'),
  run: (context, folder, options) => serve(context, folder, options),
  verbatim: () => true,
  view:
    ({ endpoint, curl }) =>
    ({ columns }) =>
      `${endpoint}\n${wrapCommand(curl, columns)}`,
  effect: 'changes',
  exits: ['input-needed', 'project', 'build-failed', 'not-ready', 'unavailable'],
  json: stream({
    app: text('app name'),
    endpoint: text('URL of the app'),
    curl: text('a command that calls the app'),
    url: text('URL of the emulator'),
    project: text('project of the emulator'),
    token: text('token of the emulator; not valid anywhere else'),
    approveUrl: text('URL that lets a browser approve logins; keep it secret'),
    build: text('id of the first build'),
  }),
  examples: ['dev', 'dev ../other-app --port 0', 'dev --env-file .env'],
});

interface DevFlags {
  port: number;
  pace: number;
  install?: true | undefined;
  envFile?: string | undefined;
  allowOrigin?: string[] | undefined;
}

/** Yields the URLs of the app once, then deploys it again on every change until Ctrl-C. */
async function* serve(context: Context, folder: string, { envFile, ...options }: DevFlags) {
  const { progress, interruption } = context;
  const secrets = envFile === undefined ? {} : await readSecretsFile(context, envFile);
  const emulator = await startEmulatorFromFlags(context, { ...options, seed: false });
  interruption.message = '';
  try {
    if (!(await findPython())) {
      progress.warn({
        severity: 'warning',
        message: 'calls are simulated: python3 not found',
        why: 'without Python the app does not run; responses repeat the request',
      });
    }
    emulator.store.secrets.set(emulator.project, secrets);
    const emulatorContext = context.withOverrides(emulatorEnvironment(emulator), resolve(context.cwd, folder));
    const deployedApps = new Set<string>();
    for await (const version of develop(emulatorContext)) {
      const { app, build } = version;
      if (!deployedApps.has(app)) printLogs(context, emulator, app);
      const took = duration(version.tookMs);
      progress.step(`Deploying ${app}`).done(`${app} is ready in ${took}, build ${build}`);
      if (deployedApps.size === 0) {
        yield await describeApp(emulator, version);
        progress.note('watching for changes; press Ctrl-C to stop');
      }
      deployedApps.add(app);
    }
  } finally {
    await emulator.close();
  }
}

function printLogs({ progress }: Context, { logs, project }: Emulator, app: string): void {
  // What the app printed while it started.
  for (const { text } of logs.getLines(toAppId(project, app))) progress.log(text);
  logs.subscribe(toAppId(project, app), ({ text }) => progress.log(text));
}

async function describeApp({ url, project, token, approvalAddress }: Emulator, version: AppVersion) {
  const { app, build, endpoint } = version;
  return {
    app,
    endpoint,
    curl: await sampleCall(version, token),
    url,
    project,
    token,
    approveUrl: approvalAddress,
    build,
  };
}
