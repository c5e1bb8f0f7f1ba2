import { posix } from 'node:path';
import type { ImageState } from '../../app/image-stage.ts';
import { flagOf, serverOf } from '../../app/shell.ts';
import { fits } from '../../kernel/groups.ts';
import type { Look } from './looked-app.ts';
import { say, sayUnsent } from './said.ts';
import type { StartedCommand } from './script-commands.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

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

/** Whether a command of the build of the platform does more than install packages. */
export const bringsCode = (shipment: Shipment) =>
  shipment.builds(/^(?!(?:apt|apt-get|pip[\d.]*|uv|echo|export|mkdir|chmod|ls|true)(?: |$))/);

/** Where systems and packages have their programs. */
const ofPackages = /^(?:\.\/)?\.?venv\/|node_modules\/|^\/(?:usr\/)?s?bin\//;

type StartedFiles = Pick<StartedCommand, 'words' | 'cwd' | 'before'>;

/** Files that a command of the start runs or reads, and that are not where it looks. */
export const absentFiles: Look<StartedFiles> = (command, { shipment, packages }) => {
  const isKnown = shipment.isDocker || !(packages.hasOthers || bringsCode(shipment));
  const named = isKnown ? namedFiles(command.words) : [];
  return named.flatMap((each) => (isAbsent(each, command, shipment) ? absent(each, command, shipment) : []));
};

const placesIn = ({ files, others }: ImageState) => [...files.keys(), ...others.map(({ path }) => path)];

/** What is copied to its place, and not made, is told of the copy. */
function isAbsent({ file }: NamedFile, { cwd, before }: StartedFiles, shipment: Shipment): boolean {
  const path = posix.resolve(cwd, file);
  const isOther = ofPackages.test(file) || (!shipment.isDocker && file.startsWith('/'));
  return !isOther && !placesIn(before).includes(path) && shipment.lacks(before, path);
}

function absent({ file, isRead }: NamedFile, { words, cwd, before }: StartedFiles, shipment: Shipment) {
  const same = placesIn(before).find((each) => posix.basename(each) === posix.basename(file));
  const dockerfile = shipment.dockerfile()?.path;
  const program = isRead ? words[0] : undefined;
  const isUnsent = !shipment.sent.has(file) && shipment.exists(file);
  if (same === undefined && (!dockerfile || isUnsent)) return missing(file, shipment, program);
  if (!dockerfile) return [say('entrypoint-not-found elsewhere', { path: file, near: shipment.fileAt(same ?? '') })];
  const path = isRead ? file : posix.resolve(cwd, file);
  return [say(`entrypoint-not-found ${isRead ? 'read' : 'image'}`, { path, program, same, dockerfile })];
}

/** A file that is started and not sent. */
export function missing(path: string, shipment: Shipment, program?: string): SeenCause[] {
  if (path.includes('$') || shipment.isOutput(path)) return [];
  if (shipment.exists(path)) return [sayUnsent(path, shipment)];
  return [say(program === undefined ? 'entrypoint-not-found' : 'entrypoint-not-found read', { path, program })];
}

/** The files that a command surely names. */
function namedFiles(words: readonly string[]): NamedFile[] {
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
  if (program === 'php') return rest.find((word) => word.endsWith('.php'));
  const [first] = rest.filter((word) => !/^-[uOBIxe]+$/.test(word));
  return runners.test(posix.basename(program)) ? first : program;
}
