import type { FileDecision } from '../../deploys/send/index.ts';
import { sizeCell } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { table } from '../../kernel/output/table.ts';
import { words } from '../../kernel/words.ts';
import { boolean, choice, integer, nullable, objects, text } from '../result-schema.ts';

export const fileDecisionFields = nullable(
  objects('with --files: every file, and why it is sent or not; null without it', {
    path: text('path in the app folder; the path of a folder ends with a slash'),
    sent: boolean('whether it is sent'),
    bytes: nullable(integer('size'), 'it is not sent'),
    reason: choice(
      words(
        'included required generated excluded gitignored not-included never-sent',
        'dockerignored environment temporary output unsupported replaced',
      ) as FileDecision['reason'][],
      'why it is sent or not',
    ),
    by: nullable(text('pattern, line of a .gitignore or .dockerignore, or section of the config file that decided')),
  }),
);

export const packedFields = {
  file: text('archive'),
  bytes: integer('size of the archive'),
  entries: objects('files: path, size, compressed size, CRC-32 and SHA-256', {
    path: text('path in the archive'),
    bytes: integer('size'),
    compressedBytes: integer('size in the archive'),
    crc32: integer('CRC-32, as in the archive'),
    sha256: text('SHA-256 of the content'),
  }),
  selection: fileDecisionFields,
};

export function fileDecisionsView(decisions: readonly FileDecision[]): View {
  return table(decisions, ['FILE', 'SENT', 'WHY'], {
    SENT: ({ sent }) => (sent ? 'yes' : 'no'),
    SIZE: ({ bytes }) => sizeCell(bytes ?? undefined),
    FILE: ({ path }) => path,
    WHY: ({ reason, by }) => texts[reason](by ?? ''),
  });
}

const texts: Record<FileDecision['reason'], (by: string) => string> = {
  included: (pattern) => `included by ${JSON.stringify(pattern)}`,
  required: () => 'always sent: the config file names it, or it is the config file',
  generated: (source) => `generated from ${source}`,
  excluded: (pattern) => `excluded by ${JSON.stringify(pattern)}`,
  gitignored: (line) => `ignored by ${line}`,
  dockerignored: (line) => `ignored by ${line}`,
  'not-included': () => 'no include pattern matches it',
  'never-sent': () => 'not sent unless an include pattern names it',
  environment: () => 'a virtual environment',
  temporary: () => 'a temporary file of gantry',
  output: () => 'gantry writes it',
  unsupported: () => 'not a regular file',
  replaced: () => 'replaced by the generated file of this name',
};
