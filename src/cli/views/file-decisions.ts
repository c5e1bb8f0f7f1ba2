import type { BuildFile } from '../../deploys/builds/index.ts';
import type { FileDecision } from '../../deploys/send/index.ts';
import { alphabetically, count, fileSummary, size, sizeCell } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { table } from '../../kernel/output/table.ts';
import { boolean, choice, integer, list, nullable, object, text } from '../result-schema.ts';

export const fileDecisionFields = nullable(
  list(
    object({
      path: text('path in the app folder; the path of a folder ends with a slash'),
      sent: boolean('whether it is sent'),
      bytes: nullable(integer('size; null if it is not sent')),
      reason: choice(
        [
          ...['included', 'required', 'generated', 'excluded', 'gitignored', 'not-included', 'never-sent'],
          ...['dockerignored', 'environment', 'temporary', 'output', 'unsupported', 'replaced'],
        ] as FileDecision['reason'][],
        'why it is sent or not',
      ),
      by: nullable(text('pattern, line of a .gitignore or .dockerignore, or section of the config file that decided')),
    }),
    'with --files: every file, and why it is sent or not; null without it',
  ),
);

export const packedFields = {
  file: text('archive'),
  bytes: integer('size of the archive'),
  entries: list(
    object({
      path: text('path in the archive'),
      bytes: integer('size'),
      compressedBytes: integer('size in the archive'),
      crc32: integer('CRC-32, as in the archive'),
      sha256: text('SHA-256 of the content'),
    }),
    'files: path, size, compressed size, CRC-32 and SHA-256',
  ),
  selection: fileDecisionFields,
};

export function fileDecisionsView(decisions: readonly FileDecision[]): View {
  return table(
    decisions,
    {
      SENT: ({ sent }) => (sent ? 'yes' : 'no'),
      SIZE: ({ bytes }) => sizeCell(bytes ?? undefined),
      FILE: ({ path }) => path,
      WHY: ({ reason, by }) => texts[reason](by ?? ''),
    },
    { keep: ['FILE', 'SENT', 'WHY'], right: ['SIZE'] },
  );
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

/** Files as a tree: folders first, each with its total size. */
export function fileTreeView(entries: readonly BuildFile[]): View {
  const root: Folder = { name: '.', folders: new Map(), files: [] };
  for (const entry of entries) addEntry(entry, root);
  return table(
    entries.length === 0 ? [] : [...toRows(root, [])],
    {
      FILE: (row) => (page) => branch(row.isLast, page) + row.name,
      SIZE: (row) => row.size,
      MORE: (row) => row.more,
    },
    { keep: ['FILE'] },
  );
}

interface Folder {
  name: string;
  folders: Map<string, Folder>;
  files: (BuildFile & { name: string })[];
}

interface Row {
  name: string;
  size: string;
  more?: string | undefined;
  /** Whether each parent folder, and the row itself, is the last of its folder. */
  isLast: readonly boolean[];
}

/** A path with a trailing slash is an empty folder. */
function addEntry(entry: BuildFile, root: Folder): void {
  const steps = entry.path.split('/');
  const name = steps.pop();
  let folder = root;
  for (const step of steps.filter((part) => part !== '' && part !== '.')) {
    const inner = folder.folders.get(step) ?? { name: `${step}/`, folders: new Map(), files: [] };
    folder.folders.set(step, inner);
    folder = inner;
  }
  if (name) folder.files.push({ ...entry, name });
}

function* toRows(folder: Folder, isLast: readonly boolean[]): Generator<Row> {
  yield { name: folder.name, size: totalText([...filesIn(folder)]), isLast };
  const folders = [...folder.folders.values()].sort(byName);
  const files = folder.files.sort(byName);
  for (const [index, inner] of folders.entries()) {
    yield* toRows(inner, [...isLast, files.length === 0 && index === folders.length - 1]);
  }
  for (const [index, file] of files.entries()) {
    yield { name: file.name, size: size(file.size), more: file.more, isLast: [...isLast, index === files.length - 1] };
  }
}

const byName = alphabetically<{ name: string }>(({ name }) => name);

function* filesIn(folder: Folder): Generator<BuildFile> {
  yield* folder.files;
  for (const inner of folder.folders.values()) yield* filesIn(inner);
}

/** Without known sizes, only the number of files. */
function totalText(files: readonly BuildFile[]): string {
  const bytes = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  return files.some((file) => file.size !== undefined) ? fileSummary(files.length, bytes) : count(files.length, 'file');
}

function branch(isLast: readonly boolean[], { unicode }: Page): string {
  const [pipe, tee, corner] = unicode ? ['│  ', '├─ ', '└─ '] : ['|  ', '|- ', '`- '];
  return isLast
    .map((last, depth) => {
      const own = depth === isLast.length - 1;
      return own ? (last ? corner : tee) : last ? '   ' : pipe;
    })
    .join('');
}
