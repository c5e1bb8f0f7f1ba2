import { posix } from 'node:path';
import { readPipLine } from '../../app/pip-line.ts';
import { groupsOf } from '../groups.ts';
import type { LookedApp } from './looked-app.ts';
import type { RequirementLine } from './package-files.ts';
import type { Packages } from './packages.ts';
import { say } from './said.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What pip will refuse in requirements files, by their lines alone. */
export function* lookAtRequirements({ shipment, packages }: LookedApp): Generator<SeenCause> {
  for (const { path, at } of packages.missingFiles) yield missingFile(shipment, path, at);
  for (const line of packages.lines) yield* lookAtLine(shipment, packages, line);
}

function missingFile(shipment: Shipment, path: string, at: CausePlace | undefined): SeenCause {
  if (shipment.exists(path)) return excluded(shipment, path, at);
  return say('requirements-file-missing', { path, sent: path.startsWith('..') ? 'sent' : undefined }, { at });
}

function excluded(shipment: Shipment, path: string, at: CausePlace | undefined): SeenCause {
  const { because, fix } = shipment.reasonOf(path);
  return say('file-excluded', { path, because }, { at, fix });
}

type LineAt = { file: string; line: number };

function* lookAtLine(
  shipment: Shipment,
  packages: Packages,
  { text, file, line }: RequirementLine,
): Generator<SeenCause> {
  const at = { file, line };
  const read = readPipLine(text);
  if (read.kind === 'path') yield* localPath(shipment, read.path, text, at);
  else if (read.kind === 'address') yield* address(shipment, packages, read.address, at);
  else if (read.kind === 'option' && /^(?:-i|-f|--(?:extra-)?index-url|--find-links)$/.test(read.name))
    yield* privateHost(read.value, at);
  else if (read.kind === 'invalid') yield say('requirement-invalid', { line: text }, { at });
}

function* address(shipment: Shipment, packages: Packages, text: string, at: LineAt): Generator<SeenCause> {
  if (/^(?:git\+ssh:|git@|git\+git@)/.test(text)) yield say('git-access-denied', { line: text }, { at });
  else if (text.startsWith('git+') && !shipment.isDocker && !packages.isOtherImage && !packages.apt.has('git'))
    yield say('git-missing', { line: text }, { at });
  yield* privateHost(text, at);
}

const privateNames = /\.(?:local|internal|lan|corp|intra|home|test|localdomain)$|^localhost$|^[\w-]+$/;
const privateAddresses = /^(?:10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\./;

function* privateHost(text: string, at: LineAt): Generator<SeenCause> {
  const [, host] = groupsOf(/:\/\/(?:[^@/]*@)?([^:/\s]+)/, text);
  if (host !== undefined && (privateNames.test(host) || privateAddresses.test(host)))
    yield say('package-index-unreachable', { host }, { at });
}

function* localPath(shipment: Shipment, path: string, text: string, at: LineAt): Generator<SeenCause> {
  const facts = { line: text, file: at.file, at: at.line, path };
  if (isOutside(shipment, path))
    yield say('requirement-invalid outside', { ...facts, place: shipment.isDocker ? 'image' : 'app' }, { at });
  if (shipment.isDocker || isOutside(shipment, path)) return;
  const inApp = posix.normalize(path).replace(/\/$/, '');
  const projects = ['pyproject.toml', 'setup.py', 'setup.cfg'].map((name) => posix.join(inApp, name));
  if ([inApp, ...projects].some((each) => shipment.sent.has(each))) return;
  const there = projects.find((each) => shipment.exists(each));
  yield there === undefined ? say('requirement-invalid no-project', facts, { at }) : excluded(shipment, there, at);
}

/** Where Windows, macOS and those who build for conda have files. */
const otherMachine = /^\/(?:[A-Za-z]:|Users\/|private\/|croot\/|tmp\/build\/|home\/(?:conda|task_\d+)\/)/;

/** Paths are relative to the folder of the command that installs: in an image, to any that it has. */
function isOutside(shipment: Shipment, path: string): boolean {
  if (otherMachine.test(path)) return true;
  const stages = shipment.dockerfile()?.image.stages;
  if (!stages) return posix.isAbsolute(path) || posix.normalize(path).startsWith('..');
  const folders = stages.flatMap((stage) => stage.commands.map(({ cwd }) => ({ stage, cwd })));
  return folders.every(({ stage, cwd }) => shipment.lacks(stage, posix.resolve(cwd, path)));
}
