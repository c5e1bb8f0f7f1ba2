import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { FileEntry } from '../../app/files/entry.ts';
import type { LocalApp } from '../../deploys/send/index.ts';
import type { Secrets } from '../../platform/contract/secrets.ts';
import { configName } from './find-app-folders.ts';

/** What is sent of an app, by the path where the app finds it. */
export type AppSnapshot = Map<string, SentFile>;

interface SentFile {
  /** Changes if and only if the file does. */
  state: string;
  size: number;
  /** The user's file that it is; undefined for one whose text is made of the config file. */
  origin: string | undefined;
  /** Whether the config file asks for it. */
  isGenerated: boolean;
}

export function takeSnapshot(
  { entries, project }: LocalApp,
  folder: string,
  fromEnvFile: string | undefined,
  secrets: Secrets,
): AppSnapshot {
  const folders = [folder, realpathSync(folder)];
  const files = entries.map((entry): [string, SentFile] => {
    const { path, size, executable, source, reason, stats } = entry;
    const content =
      'text' in source ? source.text : (stats ?? statSync(source.file, { throwIfNoEntry: false }))?.mtimeMs;
    const state = JSON.stringify([size, executable, content]);
    return [path, { state, size, origin: originOf(entry, folders), isGenerated: reason?.kind === 'generated' }];
  });
  const named = (name: string, state: string): [string, SentFile] => [
    name,
    { state, size: 0, origin: name, isGenerated: false },
  ];
  const env = fromEnvFile === undefined ? [] : [named(fromEnvFile, JSON.stringify(secrets))];
  return new Map([...files, ...env, named(configName, project.text)]);
}

export function isChanged(before: AppSnapshot, after: AppSnapshot): boolean {
  return differences(before, after).length > 0;
}

/** The user's files that make the difference, each once, however many links lead to it. */
export function changedFiles(before: AppSnapshot, after: AppSnapshot): string[] {
  const paths = new Set(differences(before, after));
  const names = [...paths].map((path) => changedFile(path, before.get(path), after.get(path), paths));
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

/** A link that is new, gone or leads elsewhere is named itself. */
function changedFile(path: string, before: SentFile | undefined, after: SentFile | undefined, all: Set<string>) {
  const { origin, isGenerated } = after ?? before ?? {};
  if (origin === undefined) return undefined;
  const isSame = before && after ? before.origin === origin : all.has(origin);
  if (isSame) return origin;
  return isGenerated ? undefined : path;
}

function differences(before: AppSnapshot, after: AppSnapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.state !== after.get(path)?.state);
}

/** Below one of the folders, which are two spellings of the app's. */
function originOf({ path, source }: FileEntry, folders: readonly string[]): string | undefined {
  if ('text' in source) return undefined;
  const below = folders.map((folder) => relative(folder, source.file));
  const origin = below.find((each) => !each.startsWith('..') && !isAbsolute(each)) ?? path;
  return origin.replaceAll(sep, '/');
}
