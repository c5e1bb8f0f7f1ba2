import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { platformExits, UsageError } from '../errors.ts';
import { canShowBrowser, openInBrowser } from '../operations/account/index.ts';
import { dashboardUrl } from '../operations/apps/index.ts';
import { findLatestBuild } from '../operations/builds/index.ts';
import { checkAppConfig } from '../project/config.ts';
import { boolean, document, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[target]', 'app name or id, "build" or "docs" (default: the app in this folder, or the project)')
      .argument('[build]', 'with an app: build id')
      .option('--print', 'only print the URL'),
  run: async (context, target, build, { print }) => {
    const url = await urlOf(context, target, build);
    const { env, terminal } = context;
    const opened = !print && canShowBrowser(env, terminal.stderr, process.platform);
    if (opened) await openInBrowser(context, url);
    return { url, opened };
  },
  view:
    ({ url }) =>
    () =>
      url,
  effect: 'reads',
  unattended: false,
  exits: platformExits,
  json: document({ url: text('URL'), opened: boolean('whether a browser was asked to open it') }),
  details: ['Opens the dashboard in a browser. Off a terminal, or without a browser, it only prints the URL.'],
  examples: ['open', 'open web', 'open web b-1234', 'open build', 'open docs --print'],
});

async function urlOf(context: Context, target: string | undefined, build: string | undefined): Promise<string> {
  if (target === 'docs') return 'https://docs.cerebrium.ai';
  const { api, cwd, project } = context;
  if (target !== undefined && target !== 'build') return dashboardUrl(context, target, build);
  const { project: local } = await checkAppConfig(resolve(cwd, 'cerebrium.toml'), { purpose: 'run' });
  if (target === undefined) return dashboardUrl(context, local?.name);
  if (!local) throw new UsageError('no app in this folder', { why: '"build" is its latest build', fix: 'name an app' });
  const latest = await findLatestBuild({ api, project }, local.name);
  return dashboardUrl(context, local.name, latest);
}
