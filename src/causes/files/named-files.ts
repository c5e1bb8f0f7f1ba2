import { posix } from 'node:path';
import { flagOf, serverOf } from '../../app/shell.ts';
import { fits } from '../groups.ts';

/** A file that a command of the start names: one that it runs, or one that it reads before it starts. */
interface NamedFile {
  file: string;
  isRead: boolean;
}

/** Flags that name a file which a program reads before it starts. */
const flagsOfFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['alembic', ['-c', '--config']],
  ['gunicorn', ['-c', '--config', '--certfile', '--keyfile']],
  ['hypercorn', ['-c', '--config', '--certfile', '--keyfile']],
  ['supervisord', ['-c', '--configuration']],
  ['uvicorn', ['--log-config', '--env-file', '--ssl-certfile', '--ssl-keyfile']],
  ['vllm', ['--chat-template']],
]);

/** What a program reads if no flag names another file. */
const usualFiles: ReadonlyMap<string, string> = new Map([['alembic', 'alembic.ini']]);

/** Below such a folder, packages of the system have files of their own. */
const ofSystem = /^\/etc\/[^/]+\//;

/** The files that a command surely names. */
export function namedFiles(words: readonly string[]): NamedFile[] {
  const [program = ''] = words;
  const script = program.startsWith('[') ? undefined : (serverOf(words)?.script ?? scriptOf(words));
  const isRun = script === program ? program.includes('/') : fits(/^[\w./-]+\.\w+$/, script);
  const flags = flagsOfFiles.get(posix.basename(program)) ?? [];
  const given = flags.flatMap((flag) => flagOf(words, flag)?.replace(/^file:/, '') ?? []);
  const read = (given.length > 0 ? given : [usualFiles.get(posix.basename(program)) ?? []].flat()).filter(
    (file) => /^[\w./-]+$/.test(file) && !ofSystem.test(file),
  );
  return [
    ...(isRun && script !== undefined ? [{ file: script, isRead: false }] : []),
    ...read.map((file) => ({ file, isRead: true })),
  ];
}

const runners = /^(?:(?:ba|da|z)?sh|python[\d.]*|ruby|php|node|bun)$/;

/** The file that a command runs; of a runner with other flags, it is not known. */
function scriptOf([program = '', ...rest]: readonly string[]): string | undefined {
  if (program === 'java') return flagOf(rest, '-jar');
  const [first] = rest.filter((word) => !/^-[uOBIxe]+$/.test(word));
  return runners.test(posix.basename(program)) ? first : program;
}
