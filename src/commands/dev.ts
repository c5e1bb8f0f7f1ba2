import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { toAppId } from '../contract/endpoint.ts';
import { type Emulator, findPython } from '../emulator/index.ts';
import { allowOriginFlag, emulatorFor, environmentOf } from '../flags/emulator.ts';
import { wholeNumberFlag } from '../flags/values.ts';
import { type AppVersion, develop, sampleCall } from '../operations/dev/index.ts';
import { importedSecrets } from '../operations/secrets/index.ts';
import { duration } from '../output/format.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[dir]', 'folder of the app', '.')
      .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumberFlag(0, 65_535), 4100)
      .option('--pace <ms>', 'milliseconds that each stage of a build takes', wholeNumberFlag(0), 0)
      .option(...allowOriginFlag)
      .option('--env-file <file>', 'a .env or JSON file of secrets for the app'),
  run: (context, folder, options) => serve(context, folder, options),
  verbatim: () => true,
  view:
    ({ endpoint, curl }) =>
    () =>
      `${endpoint}\n${curl}`,
  json: {
    app: 'app name',
    endpoint: 'address of the app',
    curl: 'a command that calls it',
    url: 'address of the emulated platform',
    project: 'its project',
    token: 'its token; worth nothing anywhere else',
    approve: 'address that lets your browser approve logins; keep it secret',
    build: 'id of the first build',
  },
  examples: ['dev', 'dev ../other-app --port 0', 'dev --env-file .env'],
});

interface DevFlags {
  port: number;
  pace: number;
  envFile?: string | undefined;
  allowOrigin?: string[] | undefined;
}

/** Tells where the app is, once, and keeps it up and up to date until Ctrl-C. */
async function* serve(context: Context, folder: string, { envFile, ...options }: DevFlags) {
  const { progress, interruption } = context;
  const secrets = envFile === undefined ? {} : await importedSecrets(context, envFile);
  const emulator = await emulatorFor({ ...options, seed: false });
  interruption.message = '';
  try {
    if (!(await findPython())) {
      progress.warn({
        severity: 'warning',
        message: 'calls are simulated: there is no python3 on this machine',
        why: 'the app is not run; an answer repeats what was sent',
      });
    }
    emulator.store.secrets.set(emulator.project, secrets);
    const here = context.withOverrides(environmentOf(emulator), resolve(context.cwd, folder));
    const heard = new Set<string>();
    for await (const version of develop(here, 'cerebrium.toml')) {
      const { app, build } = version;
      if (!heard.has(app)) listen(context, emulator, app);
      const took = duration(version.tookMs);
      progress.step(`Deploying ${app}`).done(`${app} is up, build ${build}, after ${took}`);
      if (heard.size === 0) yield await answer(emulator, version);
      heard.add(app);
    }
  } finally {
    await emulator.close();
  }
}

function listen({ progress }: Context, { logs, project }: Emulator, app: string): void {
  logs.listen(toAppId(project, app), ({ text }) => progress.log(text));
}

async function answer({ url, project, token, approvalAddress }: Emulator, version: AppVersion) {
  const { app, build, endpoint } = version;
  return {
    app,
    endpoint,
    curl: await sampleCall(version, token),
    url,
    project,
    token,
    approve: approvalAddress,
    build,
  };
}
