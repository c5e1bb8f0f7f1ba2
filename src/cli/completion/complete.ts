import { KnownSecrets } from '../../kernel/output/known-secrets.ts';
import { createPage } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { createRenderer } from '../../kernel/output/render.ts';
import { stripControlSequences } from '../../kernel/output/sanitize.ts';
import { readOwnFile } from '../../own-files.ts';
import type { Io } from '../../kernel/process.ts';
import type { GlobalFlags } from '../../platform/context.ts';
import { createContext } from '../program/create-context.ts';
import type { CommandHelp } from '../program/help.ts';
import { preparedHelp } from '../program/prepared-help.ts';
import {
  type Candidate,
  type CommandInputs,
  type CompletionTree,
  findCandidates,
  joinFlagValues,
  type ValueAtCursor,
} from './candidates.ts';
import { localNames } from './local-names.ts';
import { isPlatformName } from './name-keys.ts';
import { completePlatformName } from './platform-names.ts';
import { kindOf, type ValueKind } from './value-kinds.ts';

/** Directives of @bomb.sh/tab, after the colon of the last line. `open`: no space follows, as the value may go on. */
const directives = { files: 0, none: 4, open: 6, folders: 16 };

/**
 * Serves shell completion: `gantry complete -- deploy --d` prints one `word<tab>description` per line, then a directive.
 * `gantry complete --refresh apps get ''` only updates the cache. Never fails and prints no errors.
 */
export async function complete([form, ...argv]: string[], io: Io): Promise<number> {
  const stop = new AbortController();
  const words = joinFlagValues(argv);
  const request = { io, signal: stop.signal, secrets: new KnownSecrets(), words };
  try {
    if (form === '--refresh') await refresh(request);
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

async function answer(request: CompletionRequest): Promise<Answer> {
  const tree = await typable();
  const found = findCandidates(tree, request.words);
  if ('words' in found) return { words: found.words, mode: 'none' };
  const typing = typedValue(request.words);
  const kind = kindAt(found, typing);
  if (kind === 'local') return { words: [], mode: 'files' };
  if (kind === 'folder') return { words: [], mode: 'folders' };
  const local = kind && localNames[kind];
  const context = contextOf(request, found);
  if (local) return { words: (await local({ context, tree, typing })).filter(isNoFlag), mode: 'none' };
  if (!kind || !isPlatformName(kind)) return { words: [], mode: 'none' };
  const { words, inTime } = await completePlatformName(context, kind, { ...found, typing });
  if (!inTime) await request.io.spawnDetached(['complete', '--refresh', ...request.words]);
  return { words: words.filter(isNoFlag), mode: 'none' };
}

/** A name such as `--yes`, which others chose, would be taken for a flag. */
const isNoFlag = ([name]: Candidate) => !name.startsWith('-');

async function refresh(request: CompletionRequest): Promise<void> {
  const found = findCandidates(await typable(), request.words);
  if ('words' in found) return;
  const typing = typedValue(request.words);
  const kind = kindAt(found, typing);
  if (!kind || !isPlatformName(kind)) return;
  await completePlatformName(contextOf(request, found), kind, { ...found, typing }, refreshMs);
}

const refreshMs = 10_000;

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

/** With the project, profile, region and folder that stand before the cursor. */
function contextOf({ io, signal, secrets }: CompletionRequest, { given }: ValueAtCursor) {
  const flags: GlobalFlags = { color: 'never', input: false, pager: false, quiet: true };
  for (const name of ['project', 'profile', 'region', 'cwd'] as const) {
    const value = given[`--${name}`];
    if (value !== undefined) flags[name] = value;
  }
  return createContext(io, flags, { signal, interruption: {}, secrets });
}

/** Made at build time (build/texts.js); from the sources it is live. */
async function typable(): Promise<CompletionTree> {
  try {
    const tree = JSON.parse(readOwnFile('typable.json'));
    return { ...tree, inputsOf: (command) => preparedHelp<CommandHelp>(command) ?? noInputs };
  } catch {
    const { reference } = await import('../reference.ts');
    const tree = await reference();
    return { ...tree, inputsOf: (command) => tree.commands.find((each) => each.command === command) ?? noInputs };
  }
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
