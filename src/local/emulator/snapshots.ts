import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { gantryCommand } from '../../kernel/command-line.ts';
import {
  isAlive,
  makePrivateFolder,
  namesIn,
  newOwnerName,
  parseOwnerName,
  readRegularSync,
  sizesBelow,
  toDiskErrorOf,
  writeFileAtomic,
} from '../../kernel/disk/index.ts';
import { attempt, ConflictError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { controlEmulator } from './control-emulator.ts';
import { emulatorOf } from './running-emulators.ts';

const Snapshot = v.object({
  name: v.string(),
  apps: v.array(v.string()),
  files: v.number(),
  bytes: v.number(),
  /** RFC 3339, UTC. */
  savedAt: v.string(),
  path: v.string(),
});
/** A state of an emulator that was saved under a name. */
export type Snapshot = v.InferOutput<typeof Snapshot>;

type Place = Pick<Context, 'settings'>;

/** All snapshots of this user, by name. */
export function listSnapshots(place: Place): Snapshot[] {
  const files = namesIn(rootOf(place)).filter((file) => file.endsWith('.json'));
  return files
    .flatMap((file) => readSnapshot(place, file.slice(0, -5)) ?? [])
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws NotFoundError if there is none of this name. */
export function findSnapshot(place: Place, name: string): Snapshot {
  const snapshot = nameForm.test(name) ? readSnapshot(place, name) : undefined;
  if (snapshot) return snapshot;
  throw new NotFoundError(`snapshot ${name} not found`, { fix: gantryCommand`emulator snapshot list` });
}

/**
 * Saves the state of a running emulator. Its files appear in a folder of their own, and then the name stands for that: a
 * process that is killed leaves what the name stood for before. Asks before it replaces a snapshot.
 */
export async function saveSnapshot(context: Context, name: string, port: number | undefined): Promise<Snapshot> {
  checkName(name);
  const emulator = emulatorOf(context, port);
  const [root, before] = [rootOf(context), readSnapshot(context, name)];
  if (before) await context.prompt.confirm(`Replace snapshot ${name}?`);
  else if (listSnapshots(context).length >= maxSnapshots) {
    throw new ConflictError(`there are ${maxSnapshots} snapshots already`, { fix: 'remove one of them first' });
  }
  try {
    makePrivateFolder(root);
    await removeUnused(context);
    const path = join(root, newOwnerName());
    const { apps } = await controlEmulator(context, emulator, 'save', { folder: path });
    const sizes = await sizesBelow(path);
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    const savedAt = new Date(context.now()).toISOString();
    const snapshot = { name, apps: apps as string[], files: sizes.length, bytes, savedAt, path };
    await writeFileAtomic(fileOf(context, name), JSON.stringify(snapshot), { mode: 0o600 });
    if (before) await rm(before.path, { recursive: true, force: true });
    return snapshot;
  } catch (error) {
    throw toDiskErrorOf(`cannot save snapshot ${name}`, error);
  }
}

/** Replaces the state of a running emulator, after a confirmation. */
export async function restoreSnapshot(context: Context, name: string, port: number | undefined): Promise<Snapshot> {
  const snapshot = findSnapshot(context, name);
  const emulator = emulatorOf(context, port);
  await context.prompt.confirm(`Replace the state of the emulator on port ${emulator.port}?`);
  await controlEmulator(context, emulator, 'restore', { folder: snapshot.path });
  return snapshot;
}

/** Asks first. */
export async function removeSnapshot(context: Context, name: string): Promise<Snapshot> {
  const snapshot = findSnapshot(context, name);
  await context.prompt.confirm(`Remove snapshot ${name}?`);
  await rm(fileOf(context, name), { force: true });
  await rm(snapshot.path, { recursive: true, force: true });
  return snapshot;
}

/** So that a script that makes up names fills no disk unnoticed. */
const maxSnapshots = 100;

/** A file name on every system. */
const nameForm = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function checkName(name: string): void {
  if (nameForm.test(name)) return;
  throw new UsageError(`invalid snapshot name "${name}"`, {
    why: 'lower-case letters, digits, - and _ only, 64 characters at most',
  });
}

function rootOf({ settings }: Place): string {
  return join(settings.folders.state, 'snapshots');
}

function fileOf(place: Place, name: string): string {
  return join(rootOf(place), `${name}.json`);
}

function readSnapshot(place: Place, name: string): Snapshot | undefined {
  return attempt(() => v.parse(Snapshot, JSON.parse(readRegularSync(fileOf(place, name)))));
}

/** Folders that no name stands for and whose process has ended. In this order: a process names its folder before it ends. */
async function removeUnused(place: Place): Promise<void> {
  const dead = namesIn(rootOf(place)).filter((folder) => {
    const owner = parseOwnerName(folder);
    return owner && isAlive(owner) === false;
  });
  const used = new Set(listSnapshots(place).map(({ path }) => path));
  const unused = dead.map((folder) => join(rootOf(place), folder)).filter((path) => !used.has(path));
  await Promise.all(unused.map((path) => rm(path, { recursive: true, force: true })));
}
