import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accelerators, regions } from '../../app/hardware.ts';
import { profileNames } from '../../platform/config/profiles.ts';
import type { Context } from '../../platform/context.ts';
import type { Candidate, CompletionTree } from './candidates.ts';
import type { ValueKind } from './value-kinds.ts';

interface Asked {
  context: Context;
  tree: CompletionTree;
  /** The value so far. */
  typing: string;
}

/** Values that are known without a request. */
export const localNames: { [Kind in ValueKind]?: (asked: Asked) => Candidate[] | Promise<Candidate[]> } = {
  region: () => regions.map(withoutMeaning),
  compute: () => Object.keys(accelerators).map(withoutMeaning),
  role: () => ['member', 'billing', 'admin'].map(withoutMeaning),
  'time-zone': () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map(withoutMeaning),
  profile: ({ context }) => profileNames(context.settings).map(withoutMeaning),
  async setting({ context: { settings, env } }) {
    const { describeSettings } = await import('../../platform/config/setting-list.ts');
    return describeSettings(settings, env).map(({ name, value }) => [name, value ?? '']);
  },
  topic: ({ tree }) => [
    ...tree.commands.map(({ command, summary }): Candidate => [command.split(' ')[0] ?? '', summary]),
    ...['topics', 'flags', 'exit-codes', 'environment', 'json', 'faults'].map(withoutMeaning),
  ],
  'config-file': ({ context, typing }) => configFiles(context.cwd, typing),
};

function withoutMeaning(word: string): Candidate {
  return [word, ''];
}

/** The TOML files and the folders of the folder that is typed. */
function configFiles(cwd: string, typing: string): Candidate[] {
  const folder = typing.slice(0, typing.lastIndexOf('/') + 1);
  return readdirSync(join(cwd, folder), { withFileTypes: true }).flatMap((entry): Candidate[] => {
    if (entry.isDirectory() && !entry.name.startsWith('.')) return [[`${folder}${entry.name}/`, '']];
    return entry.name.endsWith('.toml') ? [[`${folder}${entry.name}`, '']] : [];
  });
}
