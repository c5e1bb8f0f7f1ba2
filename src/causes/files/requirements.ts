import { posix } from 'node:path';
import { readPipLine } from '../../app/pip-line.ts';
import { groupsOf } from '../groups.ts';
import type { LookedApp } from './looked-app.ts';
import type { RequirementLine } from './package-files.ts';
import type { Packages } from './packages.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What pip will refuse in requirements files, by their lines alone. */
export function* lookAtRequirements({ shipment, packages }: LookedApp): Generator<SeenCause> {
  for (const { path, at } of packages.missingFiles) yield missingFile(shipment, path, at);
  for (const line of packages.lines) yield* lookAtLine(shipment, packages, line);
}

function missingFile(shipment: Shipment, path: string, at: CausePlace | undefined): SeenCause {
  const found = { severity: 'error', captured: { path }, at } as const;
  if (shipment.exists(path)) return { cause: 'file-excluded', ...found, ...excluded(shipment, path) };
  const why = path.startsWith('..') ? 'only files of the app folder are sent' : undefined;
  return { cause: 'requirements-file-missing', ...found, why };
}

function excluded(shipment: Shipment, path: string): Pick<SeenCause, 'title' | 'fix'> {
  const { title, fix } = shipment.reasonOf(path);
  return { title, fix };
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
  else if (read.kind === 'invalid')
    yield {
      cause: 'requirement-invalid',
      severity: 'error',
      captured: { line: text },
      at,
      why: `pip cannot read "${text}"`,
    };
}

function* address(shipment: Shipment, packages: Packages, text: string, at: LineAt): Generator<SeenCause> {
  if (/^(?:git\+ssh:|git@|git\+git@)/.test(text))
    yield {
      cause: 'git-access-denied',
      severity: 'error',
      at,
      why: `"${text}" needs an SSH key, and the build has none`,
    };
  else if (text.startsWith('git+') && !shipment.isDocker && !packages.isOtherImage && !packages.apt.has('git'))
    yield { cause: 'git-missing', at, why: `"${text}" is fetched with git` };
  yield* privateHost(text, at);
}

const privateNames = /\.(?:local|internal|lan|corp|intra|home|test|localdomain)$|^localhost$|^[\w-]+$/;
const privateAddresses = /^(?:10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\./;

function* privateHost(text: string, at: LineAt): Generator<SeenCause> {
  const [, host] = groupsOf(/:\/\/(?:[^@/]*@)?([^:/\s]+)/, text);
  if (host === undefined || !(privateNames.test(host) || privateAddresses.test(host))) return;
  yield {
    cause: 'package-index-unreachable',
    captured: { host },
    at,
    why: `${host} is an address of a private network`,
  };
}

function* localPath(shipment: Shipment, path: string, text: string, at: LineAt): Generator<SeenCause> {
  const invalid = { cause: 'requirement-invalid', severity: 'error', captured: { line: text }, at } as const;
  if (isOutside(shipment, path))
    yield {
      ...invalid,
      title: `${at.file}:${at.line} installs ${path}, which is not in the ${shipment.isDocker ? 'image' : 'app'}`,
      why: `"${text}" is on this machine only`,
      fix: 'name the package and its version, or put its code or wheel into the app folder',
    };
  if (shipment.isDocker || isOutside(shipment, path)) return;
  const inApp = posix.normalize(path).replace(/\/$/, '');
  const projects = ['pyproject.toml', 'setup.py', 'setup.cfg'].map((name) => posix.join(inApp, name));
  if ([inApp, ...projects].some((each) => shipment.sent.has(each))) return;
  const there = projects.find((each) => shipment.exists(each));
  if (there === undefined)
    yield {
      ...invalid,
      title: `${at.file}:${at.line} installs ${path}, which has no pyproject.toml or setup.py`,
      fix: 'name the package and its version, or put its code into the app folder',
    };
  else yield { cause: 'file-excluded', severity: 'error', captured: { path: there }, at, ...excluded(shipment, there) };
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
