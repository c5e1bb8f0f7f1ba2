import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accelerators, regions } from '../../app/hardware.ts';
import { pause } from '../../kernel/clock.ts';
import { attempt } from '../../kernel/errors.ts';
import { KnownSecrets } from '../../kernel/output/known-secrets.ts';
import { createPage } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { createRenderer } from '../../kernel/output/render.ts';
import { stripControlSequences } from '../../kernel/output/sanitize.ts';
import type { Io } from '../../kernel/process.ts';
import { readOwnFile } from '../../own-files.ts';
import { profileNames } from '../../platform/config/profiles.ts';
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
  subcommands,
  type ValueAtCursor,
} from './candidates.ts';
import type { CursorPlace, NamesContext, PlatformName } from './name-sources.ts';

/** Directives of @bomb.sh/tab, after the colon of the last line. `open`: no space follows, as the value may go on. */
const directives = { files: 0, none: 4, open: 6, folders: 16 };

/** Prints a `word<tab>description` a line, then a directive. Never fails: a shell has no place for an error. */
export async function complete([, ...argv]: string[], io: Io): Promise<number> {
  const stop = new AbortController();
  const request = { io, signal: stop.signal, secrets: new KnownSecrets(), words: joinFlagValues(argv) };
  await answer(request)
    .then((answered) => print(request, answered))
    .catch(() => {});
  stop.abort();
  return 0;
}

interface CompletionRequest {
  io: Io;
  signal: AbortSignal;
  secrets: KnownSecrets;
  /** What was typed after `gantry`; the last one may be empty. */
  words: string[];
}

interface Completions {
  words: Candidate[];
  mode: 'files' | 'folders' | 'none';
}

async function answer(request: CompletionRequest): Promise<Completions> {
  const tree = await typable();
  const candidates = findCandidates(tree, request.words);
  if ('words' in candidates) return { words: candidates.words, mode: 'none' };
  const typing = typedValue(request.words);
  const kind = kindAt(candidates, typing);
  if (kind === undefined) return { words: [], mode: 'none' };
  if (kind === 'local') return { words: [], mode: 'files' };
  if (kind === 'folder') return { words: [], mode: 'folders' };
  const context = await contextOf(request, candidates);
  const words = isLocalName(kind)
    ? await localNames[kind]({ context, typing, typed: candidates.typed })
    : await platformNames(context, tree, kind, { ...candidates, typing });
  return { words: words.filter(isNoFlag), mode: 'none' };
}

/** A name such as `--yes`, which others chose, would be taken for a flag. */
const isNoFlag = ([name]: Candidate) => !name.startsWith('-');

/** A path with a colon is on a volume; any other is on the disk where both are possible. */
function kindAt(value: ValueAtCursor, typing: string): Exclude<ValueKind, 'path'> | undefined {
  const kind = kindOf(value);
  if (kind !== 'path') return kind;
  return typing.includes(':') ? 'remote-path' : 'local';
}

/** The value of `--flag=value`, or the word. */
function typedValue(words: readonly string[]): string {
  return (words.at(-1) ?? '').replace(/^--[^=]+=/, '');
}

/** The context for the target of a command, with the project, profile, region and folder before the cursor. */
async function contextOf({ io, signal, secrets, words }: CompletionRequest, { given }: ValueAtCursor) {
  const flags: GlobalFlags = { color: 'never', input: false, pager: false, quiet: true };
  for (const name of ['project', 'profile', 'region', 'cwd'] as const) {
    const value = given[`--${name}`];
    if (value !== undefined) flags[name] = value;
  }
  if (words.includes('--local')) flags.local = true;
  const local = await findLocalTarget(
    { local: true, startsLocal: false, ofProfile: false, unattended: true, effect: 'reads' },
    flags,
    io,
  );
  return createContext(withVariables(io, local), flags, { signal, interruption: {}, secrets }, local);
}

/** Made at build time (build/texts.js); from the sources it is live. */
async function typable(): Promise<CompletionTree> {
  const flags = attempt(() => JSON.parse(readOwnFile('typable.json')));
  if (flags) return { flags, inputsOf: (command) => preparedHelp<CommandHelp>(command) ?? noInputs };
  const { reference } = await import('../reference.ts');
  const tree = await reference();
  return { ...tree, inputsOf: (command) => tree.commands.find((each) => each.command === command) ?? noInputs };
}

const noInputs: CommandInputs = { arguments: [], flags: [], json: {} };

/** bash expands the words it is offered, so names must not contain shell syntax. */
const harmless = /^[\w.,:@/+=-]+$/;

async function print({ io, secrets, words: typed }: CompletionRequest, { words, mode }: Completions): Promise<void> {
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

interface CursorRequest {
  context: Context;
  typing: string;
  typed: string[];
}

/** Values that are known without a request. */
const localNames = {
  region: () => regions.map(withoutMeaning),
  compute: () => Object.keys(accelerators).map(withoutMeaning),
  role: () => ['member', 'billing', 'admin'].map(withoutMeaning),
  profile: ({ context }: CursorRequest) => profileNames(context.settings).map(withoutMeaning),
  async setting({ context: { settings, env } }: CursorRequest): Promise<Candidate[]> {
    const { describeSettings } = await import('../../platform/config/setting-list.ts');
    return describeSettings(settings, env).map(({ name, value }) => [name, value ?? '']);
  },
  topic: ({ typed }: CursorRequest) => [...subcommands(typed), ...(typed.length > 0 ? [] : topics)],
  'config-file': ({ context, typing }: CursorRequest) => configFiles(context.cwd, typing),
};

const topics = ['topics', 'flags', 'exit-codes', 'environment', 'json', 'agents', 'version', 'faults'].map(
  withoutMeaning,
);

function isLocalName(kind: PlatformName | keyof typeof localNames): kind is keyof typeof localNames {
  return kind in localNames;
}

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
  'check paths': 'local',
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

/** How long a shell waits for names of the platform. */
const maxWaitMs = 1_000;
/** Runs and the files of a folder may be many. */
const maxNames = 500;

/** None if they cannot be had, or not in time. */
async function namesOf(context: NamesContext, kind: PlatformName, place: CursorPlace): Promise<Candidate[]> {
  const { nameSources } = await import('./name-sources.ts');
  const names = nameSources[kind](context, place).catch((): Candidate[] => []);
  const late = pause(maxWaitMs, undefined, { background: true }).then((): Candidate[] => []);
  return (await Promise.race([names, late])).slice(0, maxNames);
}

/** What belongs to an app: to the one that is typed first, or else to that of the folder. */
const ofApps: readonly PlatformName[] = ['build', 'run', 'container'];

/** Where an app comes first, the folder of one may leave it out: what follows it is offered, too. */
async function platformNames(
  context: Context,
  tree: CompletionTree,
  kind: PlatformName,
  place: ValueAtCursor & CursorPlace,
) {
  const ofHere = async (name: PlatformName) => {
    const { readAppHere } = await import('../../deploys/apps.ts');
    const file = place.given['--config-file'] ?? 'cerebrium.toml';
    const here = await readAppHere(context, file).catch(() => undefined);
    return here === undefined ? [] : namesOf(context, name, { ...place, typed: [here] });
  };
  const [app = '.'] = place.typed;
  if (app === '.' && ofApps.includes(kind)) return ofHere(kind);
  const next = tree.inputsOf(place.command).arguments[place.typed.length + 1]?.name;
  const following = ofApps.find((name) => name === next && kind === 'app' && place.flag === undefined);
  return [...(following ? await ofHere(following) : []), ...(await namesOf(context, kind, place))];
}
