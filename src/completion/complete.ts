import { profileNames } from '../config/profiles.ts';
import type { Context } from '../context.ts';
import { KnownSecrets } from '../output/known-secrets.ts';
import { createPage } from '../output/page.ts';
import { redact } from '../output/redact.ts';
import { createRenderer } from '../output/render.ts';
import { stripControlSequences } from '../output/sanitize.ts';
import { readOwnFile } from '../own-files.ts';
import type { Io } from '../process.ts';
import { createContext } from '../program/create-context.ts';
import { regions } from '../project/hardware.ts';
import { type Candidate, type CompletionTree, findCandidates, joinFlagValues } from './candidates.ts';
import { completePlatformName, isPlatformName } from './platform-names.ts';

/** Directives of @bomb.sh/tab, after the colon of the last line. */
const directives = { files: 0, none: 4, folders: 16 };

/** Values that the shell completes from the disk, by their name in the help. */
const onDisk: Record<string, keyof typeof directives> = {
  file: 'files',
  path: 'files',
  source: 'files',
  target: 'files',
  command: 'files',
  dir: 'folders',
};

/** Values known without a request, by their name in the help. */
const known: Record<string, (context: Context) => Candidate[] | Promise<Candidate[]>> = {
  region: () => regions.map((region) => [region, '']),
  profile: ({ settings }) => profileNames(settings).map((name) => [name, '']),
  async setting({ settings, env }) {
    const { describeSettings } = await import('../config/setting-list.ts');
    return describeSettings(settings, env).map(({ name, value }) => [name, value ?? '']);
  },
};

/**
 * Serves shell completion: `gantry complete -- deploy --d` prints one `word<tab>description` per line, then a directive.
 * `gantry complete --refresh app` only updates the cache. Never fails and prints no errors.
 */
export async function complete(argv: string[], io: Io): Promise<number> {
  const stop = new AbortController();
  const context = createContext(io, { color: 'never', input: false, quiet: true }, stop.signal, {}, new KnownSecrets());
  const asked = { io, secrets: context.secrets };
  const [mode, ...given] = argv;
  const words = joinFlagValues(given);
  try {
    if (mode === '--refresh') {
      const [value = '', ...typed] = given;
      await completePlatformName(context, value, typed, refreshMs);
      return 0;
    }
    const found = findCandidates(await typable(), words);
    const typing = words.at(-1) ?? '';
    if ('words' in found) return await print(asked, typing, found.words, 'none');
    const disk = onDisk[found.value];
    if (disk) return await print(asked, typing, [], disk);
    const own = known[found.value];
    if (own) return await print(asked, typing, await own(context), 'none');
    if (!isPlatformName(found.value)) return await print(asked, typing, [], 'none');
    const { words: names, inTime } = await completePlatformName(context, found.value, found.typed);
    if (!inTime) await io.spawnDetached(['complete', '--refresh', found.value, ...found.typed]);
    return await print(asked, typing, names, 'none');
  } catch {
    return 0;
  } finally {
    stop.abort();
  }
}

const refreshMs = 10_000;

/** Made at build time (build/texts.js); from the sources it is live. */
async function typable(): Promise<CompletionTree> {
  try {
    return JSON.parse(readOwnFile('typable.json'));
  } catch {
    const { reference } = await import('../reference.ts');
    return reference();
  }
}

interface Asked {
  io: Io;
  secrets: KnownSecrets;
}

/** bash expands the words it is offered, so names must not contain shell syntax. */
const harmless = /^[\w.,:@/+=-]+$/;

async function print(
  { io, secrets }: Asked,
  typing: string,
  words: Candidate[],
  then: keyof typeof directives,
): Promise<number> {
  const start = typing.replace(/^--[^=]+=/, '');
  const lines = words
    .filter(([word]) => word.startsWith(start) && harmless.test(word) && redact(word, secrets) === word)
    .map(
      ([word, meaning]) => `${word}\t${redact(stripControlSequences(meaning, false), secrets).replace(/\s+/g, ' ')}\n`,
    );
  const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'never', io.now()), false);
  await renderer.text(`${lines.join('')}:${directives[then]}\n`);
  return 0;
}
