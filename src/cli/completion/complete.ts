import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accelerators, regions } from '../../app/hardware.ts';
import { pause } from '../../kernel/clock.ts';
import { makePrivateFolder, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { KnownSecrets } from '../../kernel/output/known-secrets.ts';
import { createPage } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { createRenderer } from '../../kernel/output/render.ts';
import { stripControlSequences } from '../../kernel/output/sanitize.ts';
import type { Io } from '../../kernel/process.ts';
import { readOwnFile } from '../../own-files.ts';
import { profileNames } from '../../platform/config/profiles.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context, GlobalFlags } from '../../platform/context.ts';
import { createContext } from '../program/create-context.ts';
import type { CommandHelp } from '../program/help.ts';
import { findLocalTarget, withVariables } from '../program/local-target.ts';
import { preparedHelp } from '../program/prepared-help.ts';
import {
  type Candidate,
  type CommandInputs,
  type CompletionTree,
  findCandidates,
  joinFlagValues,
  type ValueAtCursor,
} from './candidates.ts';
import { isPlatformName, type NamesContext, nameKeys, type Place, type PlatformName } from './name-keys.ts';

/** Directives of @bomb.sh/tab, after the colon of the last line. `open`: no space follows, as the value may go on. */
const directives = { files: 0, none: 4, open: 6, folders: 16 };

/** Prints a `word<tab>description` a line, then a directive; `--refresh` only updates the cache. Never fails. */
export async function complete([form, ...argv]: string[], io: Io): Promise<number> {
  const stop = new AbortController();
  const words = joinFlagValues(argv);
  const request = { io, signal: stop.signal, secrets: new KnownSecrets(), words };
  try {
    if (form === '--refresh') await answer(request, refreshMs);
    else await print(request, await answer(request));
  } catch {
    // A shell has no place for an error.
  } finally {
    stop.abort();
  }
  return 0;
}

interface CompletionRequest {
  io: Io;
  signal: AbortSignal;
  secrets: KnownSecrets;
  /** What was typed after `gantry`; the last one may be empty. */
  words: string[];
}

interface Answer {
  words: Candidate[];
  mode: 'files' | 'folders' | 'none';
}

/** `timeoutMs`: how long to wait for names of the platform. */
async function answer(request: CompletionRequest, timeoutMs = defaultTimeoutMs): Promise<Answer> {
  const tree = await typable();
  const found = findCandidates(tree, request.words);
  if ('words' in found) return { words: found.words, mode: 'none' };
  const typing = typedValue(request.words);
  const kind = kindAt(found, typing);
  if (kind === 'local') return { words: [], mode: 'files' };
  if (kind === 'folder') return { words: [], mode: 'folders' };
  const local: LocalNames | undefined = localNames[kind as keyof typeof localNames];
  const context = await contextOf(request, found);
  if (local) return { words: (await local({ context, tree, typing })).filter(isNoFlag), mode: 'none' };
  if (!kind || !isPlatformName(kind)) return { words: [], mode: 'none' };
  const { words, inTime } = await completePlatformNames(context, tree, kind, { ...found, typing }, timeoutMs);
  if (!inTime && timeoutMs < refreshMs) await request.io.spawnDetached(['complete', '--refresh', ...request.words]);
  return { words: words.filter(isNoFlag), mode: 'none' };
}

/** A name such as `--yes`, which others chose, would be taken for a flag. */
const isNoFlag = ([name]: Candidate) => !name.startsWith('-');

/** A path with a colon is on a volume; any other is on the disk where both are possible. */
function kindAt(found: ValueAtCursor, typing: string): ValueKind | undefined {
  const kind = kindOf(found);
  if (kind !== 'path') return kind;
  return typing.includes(':') ? 'remote-path' : 'local';
}

/** The value of `--flag=value`, or the word. */
function typedValue(words: readonly string[]): string {
  return (words.at(-1) ?? '').replace(/^--[^=]+=/, '');
}

/** Of the target of a command, with the project, profile, region and folder that stand before the cursor. */
async function contextOf({ io, signal, secrets, words }: CompletionRequest, { given }: ValueAtCursor) {
  const flags: GlobalFlags = { color: 'never', input: false, pager: false, quiet: true };
  for (const name of ['project', 'profile', 'region', 'cwd'] as const) {
    const value = given[`--${name}`];
    if (value !== undefined) flags[name] = value;
  }
  if (words.includes('--local')) flags.local = true;
  const local = await findLocalTarget(
    { local: true, ofProfile: false, unattended: true, effect: 'reads' },
    flags,
    io,
    signal,
  );
  return createContext(withVariables(io, local), flags, { signal, interruption: {}, secrets }, local);
}

/** Made at build time (build/texts.js); from the sources it is live. */
async function typable(): Promise<CompletionTree> {
  const prepared = attempt(() => JSON.parse(readOwnFile('typable.json')));
  if (prepared) return { ...prepared, inputsOf: (command) => preparedHelp<CommandHelp>(command) ?? noInputs };
  const { reference } = await import('../reference.ts');
  const tree = await reference();
  return { ...tree, inputsOf: (command) => tree.commands.find((each) => each.command === command) ?? noInputs };
}

const noInputs: CommandInputs = { arguments: [], flags: [], json: {} };

/** bash expands the words it is offered, so names must not contain shell syntax. */
const harmless = /^[\w.,:@/+=-]+$/;

async function print({ io, secrets, words: typed }: CompletionRequest, { words, mode }: Answer): Promise<void> {
  const start = typedValue(typed);
  const fitting = words.filter(
    ([word]) => word.startsWith(start) && harmless.test(word) && redact(word, secrets) === word,
  );
  const lines = fitting.map(
    ([word, meaning]) => `${word}\t${redact(stripControlSequences(meaning, false), secrets).replace(/\s+/g, ' ')}\n`,
  );
  const areFolders = fitting.length > 0 && fitting.every(([word]) => word.endsWith('/'));
  const directive = directives[mode === 'none' && areFolders ? 'open' : mode];
  const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'never', io.now()), false);
  await renderer.text(`${lines.join('')}:${directive}\n`);
}

interface Asked {
  context: Context;
  tree: CompletionTree;
  typing: string;
}

type LocalNames = (asked: Asked) => Candidate[] | Promise<Candidate[]>;

/** Values that are known without a request. */
const localNames = {
  region: () => regions.map(withoutMeaning),
  compute: () => Object.keys(accelerators).map(withoutMeaning),
  role: () => ['member', 'billing', 'admin'].map(withoutMeaning),
  'time-zone': () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map(withoutMeaning),
  profile: ({ context }: Asked) => profileNames(context.settings).map(withoutMeaning),
  async setting({ context: { settings, env } }: Asked): Promise<Candidate[]> {
    const { describeSettings } = await import('../../platform/config/setting-list.ts');
    return describeSettings(settings, env).map(({ name, value }) => [name, value ?? '']);
  },
  topic: ({ tree }: Asked) => [
    ...tree.commands.map(({ command, summary }): Candidate => [command.split(' ')[0] ?? '', summary]),
    ...['topics', 'flags', 'exit-codes', 'environment', 'json', 'faults'].map(withoutMeaning),
  ],
  'config-file': ({ context, typing }: Asked) => configFiles(context.cwd, typing),
};

function withoutMeaning(word: string): Candidate {
  return [word, ''];
}

/** The TOML files and the folders of the folder that is typed. */
function configFiles(cwd: string, typing: string): Candidate[] {
  const folder = typing.slice(0, typing.lastIndexOf('/') + 1);
  return readdirSync(join(cwd, folder), { withFileTypes: true }).flatMap((entry): Candidate[] => {
    if (entry.isDirectory() && !entry.name.startsWith('.')) return [[`${folder}${entry.name}/`, '']];
    return entry.name.endsWith('.toml') ? [[`${folder}${entry.name}`, '']] : [];
  });
}

/** What a value is. `remote-path` is on a volume; `path` may be anywhere, `local` is on the disk. */
type ValueKind = PlatformName | keyof typeof localNames | 'local' | 'folder' | 'path';

function kindOf({ value, flag, command }: ValueAtCursor): ValueKind | undefined {
  const place = flag === undefined ? `${command} ${value}` : `${flag} ${value}`;
  return byPlace[place] ?? byName[value];
}

const byName: Record<string, ValueKind> = {
  file: 'local',
  command: 'local',
  dir: 'folder',
  app: 'app',
  build: 'build',
  run: 'run',
  project: 'project',
  profile: 'profile',
  region: 'region',
  setting: 'setting',
  zone: 'time-zone',
  topic: 'topic',
};

/** Names that mean other things elsewhere, by the command or the flag before them. */
const byPlace: Record<string, ValueKind> = {
  'ls path': 'remote-path',
  'cat path': 'remote-path',
  'rm path': 'remote-path',
  'volumes usage path': 'remote-path',
  'cp path': 'path',
  'sync source': 'path',
  'sync target': 'path',
  '--confirm paths': 'remote-path',
  '--confirm target': 'path',
  '--config-file file': 'config-file',
  'check path': 'local',
  'run file[::function]': 'local',
  'map args': 'local',
  '--file log': 'local',
  '--project id': 'project',
  '--run id': 'run',
  '--build id': 'build',
  '--container id': 'container',
  '--container name': 'container',
  '--confirm name': 'app',
  '--compute type': 'compute',
  '--role role': 'role',
  'secrets set name': 'secret',
  'secrets unset name': 'secret',
  'service-accounts grant id': 'service-account',
  'service-accounts revoke id': 'service-account',
  'service-accounts set-grants id': 'service-account',
};

const maxAgeMs = 60_000;
/** Maximum time a shell waits. */
const defaultTimeoutMs = 60;
/** Maximum time that nobody waits. */
const refreshMs = 10_000;
/** Runs and the files of a folder may be many. */
const maxNames = 500;

interface CachedNames {
  at: number;
  words: Candidate[];
}

/** Cached names if they are fresh, else new ones if they arrive in time, else stale ones (`inTime` is false then). */
async function completePlatformName(context: NamesContext, kind: PlatformName, place: Place, timeoutMs: number) {
  const { file, key } = cacheLocation(context, nameKeys[kind](place, context));
  const kept = readCache(file);
  const old = kept[key];
  if (old && context.now() - old.at < maxAgeMs) return { words: old.words, inTime: true };
  try {
    // Not loaded for cached names: endpoints and their schemas take longer than all else here.
    const { nameSources } = await import('./name-sources.ts');
    const late = pause(timeoutMs, undefined, { background: true }).then(() => undefined);
    const words = (await Promise.race([nameSources[kind](context, place), late]))?.slice(0, maxNames);
    if (!words) return { words: old?.words ?? [], inTime: false };
    writeCache(file, { ...withoutOld(kept, context.now()), [key]: { at: context.now(), words } });
    return { words, inTime: true };
  } catch {
    return { words: old?.words ?? [], inTime: false };
  }
}

/** What belongs to an app: to the one that is typed first, or else to that of the folder. */
const ofApps: readonly PlatformName[] = ['build', 'run', 'container'];

/** Where an app comes first, the folder of one may leave it out: what follows it is offered, too. */
async function completePlatformNames(
  context: Context,
  tree: CompletionTree,
  kind: PlatformName,
  place: ValueAtCursor & Place,
  timeoutMs: number,
) {
  const ofHere = async (name: PlatformName) => {
    const { readAppHere } = await import('../../deploys/apps.ts');
    const file = place.given['--config-file'] ?? 'cerebrium.toml';
    const here = await readAppHere(context, file).catch(() => undefined);
    return here === undefined ? undefined : completePlatformName(context, name, { ...place, typed: [here] }, timeoutMs);
  };
  const [app = '.'] = place.typed;
  if (app === '.' && ofApps.includes(kind)) return (await ofHere(kind)) ?? { words: [], inTime: true };
  const own = await completePlatformName(context, kind, place, timeoutMs);
  const next = tree.inputsOf(place.command).arguments[place.typed.length + 1]?.name ?? '';
  if (kind !== 'app' || place.flag !== undefined || !isPlatformName(next)) return own;
  const ids = await ofHere(next);
  if (!ids) return own;
  return { words: [...ids.words, ...own.words], inTime: ids.inTime && own.inTime };
}

function cacheLocation(context: NamesContext, key: string): { file: string; key: string } {
  const { settings } = context;
  const project = key === 'project' ? '' : (attempt(() => context.project) ?? '');
  return {
    file: join(settings.folders.cache, 'names.json'),
    key: stateKey(platformOf(settings), settings.profile.value, project, key),
  };
}

/** Each folder of a volume is an entry of its own, so the cache would grow forever. */
function withoutOld(kept: Record<string, CachedNames>, now: number): Record<string, CachedNames> {
  return Object.fromEntries(Object.entries(kept).filter(([, { at }]) => now - at < maxKeptMs));
}

const maxKeptMs = 86_400_000;

function readCache(file: string): Record<string, CachedNames> {
  return attempt(() => JSON.parse(readFileSync(file, 'utf8'))) ?? {};
}

/** Best-effort: without a writable folder there is no cache. */
function writeCache(file: string, kept: Record<string, CachedNames>): void {
  attempt(() => {
    makePrivateFolder(dirname(file));
    writeFileAtomicSync(file, JSON.stringify(kept), { mode: 0o600 });
  });
}
