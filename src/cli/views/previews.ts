import type { Preview } from '../../deploys/previews/index.ts';
import { ago, timeLeft } from '../../kernel/output/format.ts';
import { table } from '../../kernel/output/table.ts';
import { boolean, choice, nullable, text } from '../result-schema.ts';
import { statusCell } from './status.ts';

export const previewFields = {
  app: text('app name'),
  branch: nullable(text('branch or name it was deployed for'), 'not known'),
  proof: nullable(
    choice(
      ['branch', 'record'],
      'what shows that it belongs to this repository: a branch, or a record of this machine or its team',
    ),
  ),
  merged: nullable(boolean('whether the default branch contains its branch'), 'not known'),
  status: text('app status'),
  createdAt: nullable(text('RFC 3339, UTC')),
  updatedAt: nullable(text('last deploy; RFC 3339, UTC')),
  expiresAt: nullable(text('when its time to live is over; null if none is on record. RFC 3339, UTC')),
};

export function previewsTable(previews: readonly Preview[]) {
  return table([...previews], ['APP', 'STATUS'], {
    APP: ({ app }: Preview) => app,
    STATUS: ({ status }) => statusCell(status),
    BRANCH: ({ branch }) => branch ?? undefined,
    PROOF: ({ proof }) => proof ?? 'unproven',
    MERGED: ({ merged }) => (merged === null ? undefined : merged ? 'yes' : 'no'),
    UPDATED: ({ updatedAt }) => ago(updatedAt),
    EXPIRES: ({ expiresAt }) => timeLeft(expiresAt),
  });
}
