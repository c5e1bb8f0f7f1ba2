import type { SecretChange } from '../operations/secrets/index.ts';
import type { View } from '../output/page.ts';

/** What became of each secret, by name. */
export function secretChangeView({ added, replaced, removed, unchanged }: SecretChange): View {
  const groups: [said: string, names: string[]][] = [
    ['added', added],
    ['replaced', replaced],
    ['removed', removed],
    ['already as asked', unchanged],
  ];
  const said = groups.filter(([, names]) => names.length > 0).map(([verb, names]) => `${verb}: ${names.join(', ')}`);
  return () => said.join('\n');
}

export const secretChangeJson = {
  app: 'the app they belong to; null for those of the project',
  added: 'names of new secrets',
  replaced: 'names of secrets with another value now',
  removed: 'names of secrets that are gone',
  unchanged: 'names of secrets that were as asked already',
};
