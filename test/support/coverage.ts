import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One endpoint of the contract: where it is from, which commands call it and which tests look at them, the nearest first. */
export interface Covered {
  name: string;
  route: string;
  /** `spec 4.1` or `docs/platform.md#builds`, as its doc comment names it. */
  source: string;
  commands: string[];
  tests: string[];
}

/** Read from the sources, not kept by hand: an endpoint belongs to the commands whose code imports it. */
export function coverage(): Covered[] {
  const called = [
    ...commandFiles().map((file) => ({ command: commandOf(file), endpoints: endpointsOf(file) })),
    // Not called by the command, but for it.
    { command: 'any after login', endpoints: endpointsOf('src/platform/api/token-renewal.ts') },
  ];
  const tests = files('test', /\.test\.ts$/).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  return declared().map((endpoint) => {
    const callers = called
      .filter(({ endpoints }) => endpoints.has(endpoint.name))
      .sort((a, b) => a.endpoints.size - b.endpoints.size);
    const commands = callers.map(({ command }) => command);
    const looks = tests
      .map(({ file, text }) => ({ file, times: mentions(text, endpoint.name, commands[0]) }))
      .filter(({ times }) => times > 0)
      .sort((a, b) => b.times - a.times);
    return { ...endpoint, commands, tests: looks.map(({ file }) => file) };
  });
}

/** Each endpoint with the comment above it, which names its source. */
function declared(): Pick<Covered, 'name' | 'route' | 'source'>[] {
  const declaration = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+) = endpoint\('([^']+)'/g;
  return files('src/platform/contract', /\.ts$/).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, comment = '', name = '', route = '']) => ({
      ...{ name, route },
      source: /spec \d+\.\d+|docs\/platform\.md#[\w-]+/.exec(comment)?.[0] ?? '',
    })),
  );
}

function commandFiles(): string[] {
  return files('src/cli/commands', /\.ts$/).filter((file) => /export default/.test(readFileSync(file, 'utf8')));
}

/** The path of a file is its command line. */
function commandOf(file: string): string {
  return file
    .replace(/^src\/cli\/commands\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', ' ');
}

/** What a file takes from the contract, itself or by what it imports. */
function endpointsOf(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  const source = readFileSync(file, 'utf8').replace(/import type [^;]+;|export \{[^}]*\} from [^;]+;/g, '');
  for (const [, names, path = ''] of source.matchAll(/(?:(?:\{([^}]*)\} )?from |import\()'(\.[^']+)'/g)) {
    const target = join(dirname(file), path);
    if (target.startsWith('src/platform/contract/'))
      for (const name of (names ?? '').split(',')) found.add(name.trim());
    else if (target.endsWith('.ts') && /^src\/(?!kernel|platform\/(api|config|contract)|emulator)/.test(target)) {
      for (const each of behindDoor(target, names)) for (const name of endpointsOf(each, seen)) found.add(name);
    }
  }
  return found;
}

/** A folder is imported by its index: the files that the imported values come from. */
function behindDoor(target: string, names: string | undefined): string[] {
  if (!/^src\/\w+\/([^/]+\/)?index\.ts$/.test(target) || names === undefined) return [target];
  const values = names.split(',').map((name) => name.trim().split(' ')[0] ?? '');
  const passedOn = [...readFileSync(target, 'utf8').matchAll(/export \{([^}]*)\} from '([^']+)'/g)];
  const behind = values.map((value) =>
    passedOn.find(([, exported = '']) => exported.split(',').some((name) => name.trim() === value)),
  );
  return behind.map((found) => (found ? join(dirname(target), found[2] ?? '') : target));
}

/** How often a test names the endpoint, or types its command: `'builds list web'`, `['builds', 'list'`. */
function mentions(text: string, endpoint: string, command: string | undefined): number {
  const words = command?.split(' ').map((word) => `'${word}'`) ?? [];
  const patterns = [`\\b${endpoint}\\b`, ...(command ? [words.join(', '), `['\`]${command}\\b`] : [])];
  return [...text.matchAll(new RegExp(patterns.join('|'), 'g'))].length;
}

function files(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => name.test(path))
    .sort();
}
