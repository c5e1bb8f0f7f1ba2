import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import {
  findNewestVersion,
  type Installation,
  installMethods,
  isNewer,
  readInstallation,
} from '../operations/version/index.ts';
import { choice, document, nullable, text } from '../result-schema.ts';

interface Shown extends Installation {
  newest: string | null;
}

export default defineCommand({
  configure: (command) => command.option('--check', 'ask the npm registry for the newest version'),
  run: async (context, { check }): Promise<Shown> => {
    const installation = readInstallation();
    return { ...installation, newest: check ? await compare(context, installation) : null };
  },
  view:
    ({ version, installedWith, path, node, platform, update }) =>
    () =>
      [
        `gantry ${version}`,
        `installed with ${installedWith}: ${path}`,
        `Node ${node} on ${platform}`,
        `update: ${update}`,
      ].join('\n'),
  effect: 'reads',
  local: true,
  exits: ['unavailable'],
  json: document({
    version: text('version of gantry'),
    installedWith: choice(installMethods, 'how gantry was installed'),
    path: text('path of the executable, or of the folder of the program'),
    node: text('version of Node that runs gantry'),
    platform: text('operating system and processor, such as linux-x64'),
    update: text('how to install the newest version'),
    newest: nullable(text('with --check: the newest released version')),
  }),
  examples: ['version', 'version --check', 'version --json=version,installedWith'],
});

async function compare(context: Context, { version, update }: Installation): Promise<string> {
  const newest = await findNewestVersion(context);
  const note = isNewer(newest, version) ? `gantry ${newest} is available: ${update}` : 'gantry is up to date';
  context.progress.note(note);
  return newest;
}
