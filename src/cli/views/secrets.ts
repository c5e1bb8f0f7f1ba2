import { gantryCommand } from '../../kernel/command-line.ts';
import type { View } from '../../kernel/output/page.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { SecretChange } from '../../team/secrets.ts';
import type { NextCommand } from '../command.ts';
import { boolean, document, list, nullable, text } from '../result-schema.ts';

export function secretChangeView({ added, replaced, removed, unchanged }: SecretChange, why = 'unchanged'): View {
  const groups: [label: string, names: string[]][] = [
    ['added', added],
    ['replaced', replaced],
    ['removed', removed],
    [why, unchanged],
  ];
  const lines = groups.filter(([, names]) => names.length > 0).map(([label, names]) => `${label}: ${names.join(', ')}`);
  return wrapped(lines.join('\n'));
}

/** Replicas get secrets when they start. */
export function afterSecretChange({ stale, restartable }: SecretChange): NextCommand[] {
  return (stale.length > 0 ? restartable : []).map((each) => ({
    line: gantryCommand`apps restart ${each}`,
    when: 'to start replicas without the old',
  }));
}

export const secretChangeJson = document({
  app: nullable(text('app; null for secrets of the project')),
  changed: boolean('whether anything changed'),
  added: list(text('name'), 'names of new secrets'),
  replaced: list(text('name'), 'names of secrets with a new value'),
  removed: list(text('name'), 'names of removed secrets'),
  unchanged: list(text('name'), 'names of unchanged secrets'),
  stale: list(text('container, or app'), 'replicas, or apps of the project, that keep the old values'),
  restartable: list(text('app'), 'apps that gantry can restart from here'),
});
