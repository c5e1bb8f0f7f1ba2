import { dashboardUrl } from '../../deploys/apps.ts';
import { fetchBuild, resolveBuild } from '../../deploys/builds/index.ts';
import { NotFoundError, throwUnexpected } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { canShowBrowser, openInBrowser } from '../../team/account/index.ts';
import { defineCommand } from '../command.ts';
import { optionalAppArgument } from '../flags/app.ts';
import { boolean, document, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    optionalAppArgument(command, {
      description: 'app, project or docs (default: the app in this folder, else the project)',
      isOptional: true,
    })
      .argument('[build]', 'build id, or latest')
      .option('--print', 'only print the URL'),
  run: async (context, app, build, { print }) => {
    const url = await urlOf(context, app, build);
    const { env, terminal } = context;
    const opened = !print && canShowBrowser(env, terminal.stderr, process.platform);
    if (opened) await openInBrowser(context, url);
    return { url, opened };
  },
  view: ({ url }) => url,
  effect: 'reads',
  unattended: false,
  json: document({ url: text('URL'), opened: boolean('whether a browser was asked to open it') }),
  details: ['Off a terminal, or without a browser, it only prints the URL.'],
  examples: ['open', 'open web', 'open latest', 'open web b-1234', 'open project', 'open docs --print'],
});

async function urlOf(context: Context, app: string | undefined, word: string | undefined): Promise<string> {
  if (app === 'docs') return 'https://docs.cerebrium.ai';
  if (app === undefined || app === 'project') return dashboardUrl(context);
  const build = word === undefined ? undefined : await resolveBuild(context, app, word);
  await checkExists(context, app, build);
  return dashboardUrl(context, app, build);
}

/** Throws NotFoundError for a page of nothing. Without an answer, the URL is all that can be had. */
async function checkExists({ api, project, signal }: Context, app: string, build: string | undefined): Promise<void> {
  const request = build === undefined ? fetchApp(api, { project, app }) : fetchBuild(api, { project, app, build });
  await request.catch((error: unknown) => {
    if (error instanceof NotFoundError) throw error;
    throwUnexpected(error, signal);
  });
}
