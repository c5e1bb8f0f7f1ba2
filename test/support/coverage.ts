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
    { command: 'any after login', endpoints: endpointsOf('src/api/renewal.ts') },
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
  return files('src/contract', /\.ts$/).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, comment = '', name = '', route = '']) => ({
      ...{ name, route },
      source: /spec \d+\.\d+|docs\/platform\.md#[\w-]+/.exec(comment)?.[0] ?? '',
    })),
  );
}

function commandFiles(): string[] {
  return files('src/commands', /\.ts$/).filter((file) => /export default/.test(readFileSync(file, 'utf8')));
}

/** The path of a file is its command line. */
function commandOf(file: string): string {
  return file
    .replace(/^src\/commands\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', ' ');
}

/** The endpoints that a file imports, itself or through the commands and operations it imports. */
function endpointsOf(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const { names, target } of importsOf(file)) {
    if (target.startsWith('src/contract/')) for (const name of names) found.add(name);
    else if (/^src\/(commands|operations)\//.test(target)) {
      for (const module of behind(target, names)) for (const name of endpointsOf(module, seen)) found.add(name);
    }
  }
  return found;
}

interface Import {
  names: string[];
  target: string;
}

/** All imports of values, static and dynamic. */
function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8').replace(/import type [^;]+;/g, '');
  const statement = /\{([^{}]*)\}\s*(?:=\s*await\s+import\(|from\s+)'(\.[^']+)'/g;
  return [...source.matchAll(statement)].map(([, names = '', path = '']) => ({
    names: valuesIn(names).map((name) => name.split(/ as |:/)[0]?.trim() ?? name),
    target: join(dirname(file), path),
  }));
}

/** The modules that export these names: behind a folder's `index.ts`, only those and not the whole folder. */
function behind(target: string, names: readonly string[]): string[] {
  if (!target.endsWith('/index.ts')) return [target];
  const exported = [...readFileSync(target, 'utf8').matchAll(/export \{([^}]*)\} from '([^']+)'/g)].filter(
    ([, listed]) => valuesIn(listed ?? '').some((name) => names.includes(name.split(' as ').at(-1) ?? name)),
  );
  return exported.map(([, , path = '']) => join(dirname(target), path));
}

/** `a, type B, c as d` names the values `a` and `c as d`. */
function valuesIn(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
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
