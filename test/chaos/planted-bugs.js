/**
 * @typedef {{ name: string, edits: { file: string, from: string, to: string }[] }} PlantedBug
 */

/**
 * Bugs that the auditor has to find (prove.js). Each text to be changed must be in its file exactly once: where the
 * sources have moved on, follow them here.
 * @type {PlantedBug[]}
 */
export const plantedBugs = [
  {
    name: 'fixed name of a temporary',
    edits: [
      edit(
        'src/kernel/disk/new-file.ts',
        "import { dirname, join, resolve } from 'node:path';",
        "import { basename, dirname, join, resolve } from 'node:path';",
      ),
      edit('src/kernel/disk/new-file.ts', 'constants.O_CREAT | constants.O_EXCL | noFollow', 'constants.O_CREAT'),
      edit(
        'src/kernel/disk/new-file.ts',
        'const path = join(dirname(target), name);\n    const replaced',
        "void name;\n    const path = join(dirname(target), basename(target) + '.gantry-part');\n    const replaced",
      ),
    ],
  },
  {
    name: 'web page believed',
    edits: [
      edit('src/platform/api/reply.ts', '  if (!isWebPage(received)) return;', '  return;'),
      edit('src/platform/api/reply.ts', '  if (isPlain) return', '  return'),
      ...noEvidence(),
    ],
  },
  {
    name: 'uploads taken on trust',
    edits: noEvidence(),
  },
  {
    name: 'dropped part',
    edits: [
      edit(
        'src/storage/copy/to-volume.ts',
        'const listed = parts.map(',
        'const listed = parts.slice(0, Math.max(1, parts.length - 1)).map(',
      ),
    ],
  },
  {
    name: 'full disk ignored',
    edits: [
      edit(
        'src/storage/transfer/download-file.ts',
        'at += (await handle.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;',
        'at += await handle.write(chunk, at, chunk.length - at, offset + at).then(({ bytesWritten }) => bytesWritten, () => chunk.length - at);',
      ),
    ],
  },
  {
    name: 'renamed before the check',
    edits: [
      edit(
        'src/storage/transfer/download-file.ts',
        'this.#receive(part, stop));\n    await this.#check();',
        'this.#receive(part, stop));',
      ),
      edit(
        'src/storage/transfer/download-file.ts',
        '  async #check(): Promise<void> {',
        '  async check(): Promise<void> {',
      ),
      edit(
        'src/storage/transfer/download-file.ts',
        '    return bytesOf(plan, previous?.parts);',
        '    await attempt.check();\n    return bytesOf(plan, previous?.parts);',
      ),
    ],
  },
  {
    name: 'copies not locked',
    edits: [
      edit(
        'src/storage/transfer/journal.ts',
        "if (!lock) throw new ConflictError('another gantry process runs the same copy', { fix: 'wait for it to end' });",
        '',
      ),
      edit('src/storage/transfer/journal.ts', '() => lock.release()', '() => lock?.release()'),
    ],
  },
  {
    name: 'guessed grant',
    edits: [
      edit(
        'src/team/members.ts',
        '  const { projectId, project_id, project, ...rest } = grant as Record<string, unknown>;',
        "  const { id: guessed } = grant as Record<string, unknown>;\n  if (typeof guessed === 'string') return guessed;\n  const { projectId, project_id, project, ...rest } = grant as Record<string, unknown>;",
      ),
    ],
  },
  {
    name: 'pages without end',
    edits: [
      edit(
        'src/platform/replies/pages.ts',
        '    if (start > 0 && !hasNew && this.#end > this.#furthest) return',
        '    if (start > 0 && !hasNew && this.#end > this.#furthest && start < 0) return',
      ),
    ],
  },
  {
    name: 'secrets not hidden',
    edits: [
      edit(
        'src/kernel/output/redact.ts',
        '  if (!suspicious.test(unknown)) return unknown;',
        '  if (text) return text;',
      ),
    ],
  },
  {
    name: 'failed files are no failure',
    edits: [edit('src/cli/views/copy.ts', "  if (!first) return 'ok';", "  if (!first || first.path) return 'ok';")],
  },
];

function noEvidence() {
  return [
    edit(
      'src/storage/copy/upload-confirmation.ts',
      "    if (!entry || entry.isFolder) return lostError('the volume does not list the file');",
      '    if (!entry || entry.size !== -1) return undefined;',
    ),
  ];
}

/** @param {string} file @param {string} from @param {string} to */
function edit(file, from, to) {
  return { file, from, to };
}
