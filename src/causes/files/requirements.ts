import { posix } from 'node:path';
import { readPipLine } from '../../app/pip-line.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { type Look, type LookedApp, lookAtEach } from './looked-app.ts';
import { say, sayUnsent } from './said.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What pip will refuse in requirements files, by their lines alone. */
export function* lookAtRequirements(app: LookedApp): Generator<SeenCause> {
  const { missingFiles, lines } = app.packages;
  yield* lookAtEach(missingFiles, app, [missingFile]);
  yield* lookAtEach(
    lines.map(({ text, file, line }) => ({ text, at: { file, line } })),
    app,
    [lineOfPip],
  );
}

const missingFile: Look<{ path: string; at: CausePlace | undefined }> = ({ path }, { shipment }) =>
  shipment.exists(path)
    ? sayUnsent(path, shipment)
    : say('requirements-file-missing', { path, sent: path.startsWith('..') ? 'sent' : undefined });

interface PipText {
  text: string;
  at: { file: string; line: number };
}

const lineOfPip: Look<PipText> = (given, app) => {
  const read = readPipLine(given.text);
  if (read.kind === 'path') return localPath(app, read.path, given);
  if (read.kind === 'address') return [...address(app, read.address), ...privateHost(read.address)];
  if (read.kind === 'option' && /^(?:-i|-f|--(?:extra-)?index-url|--find-links)$/.test(read.name))
    return privateHost(read.value);
  return read.kind === 'invalid' ? say('requirement-invalid', { line: given.text }) : undefined;
};

function address({ shipment, packages }: LookedApp, line: string): SeenCause[] {
  if (/^(?:git\+ssh:|git@|git\+git@)/.test(line)) return [say('git-access-denied', { line })];
  const hasGit = shipment.isDocker || packages.isOtherImage || packages.apt.has('git');
  return line.startsWith('git+') && !hasGit ? [say('git-missing', { line })] : [];
}

const privateNames = /\.(?:local|internal|lan|corp|intra|home|test|localdomain)$|^localhost$|^[\w-]+$/;
const privateAddresses = /^(?:10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\./;

function privateHost(text: string): SeenCause[] {
  const [, host] = groupsOf(/:\/\/(?:[^@/]*@)?([^:/\s]+)/, text);
  const isPrivate = host !== undefined && (privateNames.test(host) || privateAddresses.test(host));
  return isPrivate ? [say('package-index-unreachable', { host })] : [];
}

function localPath({ shipment }: LookedApp, path: string, { text, at }: PipText): SeenCause | undefined {
  const facts = { line: text, file: at.file, at: at.line, path };
  if (isOutside(shipment, path))
    return say('requirement-invalid outside', { ...facts, place: shipment.isDocker ? 'image' : 'app' });
  const inApp = posix.normalize(path).replace(/\/$/, '');
  const projects = ['pyproject.toml', 'setup.py', 'setup.cfg'].map((name) => posix.join(inApp, name));
  if (shipment.isDocker || [inApp, ...projects].some((each) => shipment.sent.has(each))) return undefined;
  const there = projects.find((each) => shipment.exists(each));
  return there === undefined ? say('requirement-invalid no-project', facts) : sayUnsent(there, shipment);
}

/** Where Windows, macOS and those who build for conda have files. */
const otherMachine = /^\/(?:[A-Za-z]:|Users\/|private\/|croot\/|tmp\/build\/|home\/(?:conda|task_\d+)\/)/;

/** Paths are relative to the folder of the command that installs: in an image, to any that it has. */
function isOutside(shipment: Shipment, path: string): boolean {
  if (otherMachine.test(path)) return true;
  const { stages } = shipment;
  if (stages.length === 0) return posix.isAbsolute(path) || posix.normalize(path).startsWith('..');
  const folders = stages.flatMap((stage) => stage.commands.map(({ cwd }) => ({ stage, cwd })));
  return folders.every(({ stage, cwd }) => shipment.lacks(stage, posix.resolve(cwd, path)));
}
