import type { SecretChange } from '../operations/secrets/index.ts';
import type { View } from '../output/page.ts';

export function secretChangeView({ added, replaced, removed, unchanged }: SecretChange): View {
  const groups: [label: string, names: string[]][] = [
    ['added', added],
    ['replaced', replaced],
    ['removed', removed],
    ['unchanged', unchanged],
  ];
  const lines = groups.filter(([, names]) => names.length > 0).map(([label, names]) => `${label}: ${names.join(', ')}`);
  return () => lines.join('\n');
}

export const secretChangeJson = {
  app: 'app; null for secrets of the project',
  added: 'names of new secrets',
  replaced: 'names of secrets with a new value',
  removed: 'names of removed secrets',
  unchanged: 'names of unchanged secrets',
};
