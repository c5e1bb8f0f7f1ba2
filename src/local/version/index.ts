import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { UnavailableError, UsageError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { releaseNames, version } from '../../kernel/version.ts';
import { isExecutable, ownLocation } from '../../own-files.ts';
import { createSender } from '../../platform/api/sender.ts';
import type { Context } from '../../platform/context.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';

/** By method, what updates gantry. */
const updates = {
  package: 'install a newer package in the same way',
  homebrew: 'brew upgrade gantry',
  image: 'pull the newest image',
  executable: 'replace the executable by that of the latest release',
  source: 'git pull && npm install',
};
type Method = keyof typeof updates;

interface Installation {
  version: string;
  installedWith: Method;
  /** The executable, or the folder of the program. */
  path: string;
  node: string;
  platform: string;
  /** A command, or what to do. */
  update: string;
}

/** How this gantry was installed, as far as its path tells. */
export function readInstallation(location = ownLocation(), alone = isExecutable()): Installation {
  const path = existsSync(location) ? realpathSync(location) : location;
  const installedWith = installMethodOf(path.replaceAll('\\', '/'), alone);
  return {
    version,
    installedWith,
    path,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    update: updates[installedWith],
  };
}

/** In a folder of npm, pnpm, yarn or bun, or in one of pip, pipx or uv, which have the executable beside their libraries. */
const packageFolder =
  /\/(node_modules|site-packages|dist-packages|gantry_cli|pipx|uv\/(tools|cache|archive-v\d+|environments-v\d+|builds-v\d+))\//;

function installMethodOf(path: string, alone: boolean): Method {
  if (path.includes('/Cellar/')) return 'homebrew';
  if (packageFolder.test(`${path}/`)) return 'package';
  if (!alone) return 'source';
  const prefix = join(dirname(path), '..');
  // The Dockerfile puts the notices below /usr.
  if (existsSync(join(prefix, '../share/doc/gantry/THIRD-PARTY-NOTICES.txt'))) return 'image';
  return existsSync(join(prefix, 'pyvenv.cfg')) || hasWheel(prefix) ? 'package' : 'executable';
}

function hasWheel(prefix: string): boolean {
  const libraries = namesIn(join(prefix, 'lib'))
    .filter((name) => name.startsWith('python'))
    .map((name) => join(prefix, 'lib', name));
  return [...libraries, join(prefix, 'Lib')]
    .flatMap((folder) => ['site-packages', 'dist-packages'].map((name) => join(folder, name)))
    .some((folder) => namesIn(folder).some((name) => /^gantry_cli-.*\.dist-info$/.test(name)));
}

const timeoutMs = 10_000;
/** Of a version, in characters. */
const maxLength = 100;

/**
 * The newest released version, from the npm registry; all packages of a release have the same version. Sends no token.
 * Throws UnavailableError if the registry does not return it.
 */
export async function findNewestVersion({ settings, signal, silenceMs }: Context, url: URL): Promise<string> {
  const send = await createSender(settings.proxy);
  const until = timeoutSignal(
    timeoutMs,
    () => new UnavailableError(`no response from ${url.host} within 10 s`),
    signal,
  );
  const headers = { 'user-agent': `gantry/${version}`, accept: 'application/json' };
  const { status, body } = await send({ method: 'GET', url, headers, signal: until, silenceMs });
  const newest = status === 200 ? versionIn(body) : undefined;
  if (newest !== undefined) return newest;
  throw new UnavailableError(`${url.host} did not return the newest version`, { status, why: `HTTP ${status}` });
}

/** Whether a version is later than another. A pre-release is earlier than its release. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [parse(version), parse(than)];
  for (const [at, number] of a.numbers.entries()) {
    if (number !== b.numbers[at]) return number > (b.numbers[at] ?? 0);
  }
  if (a.before === '' || b.before === '') return a.before === '' && b.before !== '';
  return a.before.localeCompare(b.before, 'en', { numeric: true }) > 0;
}

/** Where the newest version is asked for; undefined if nothing is published, and the user names no registry. */
export function registryUrl(env: Environment, { npm } = releaseNames): URL | undefined {
  const address = readVariable(env, 'GANTRY_REGISTRY_URL') ?? (npm === null ? undefined : 'https://registry.npmjs.org');
  if (address === undefined) return undefined;
  const base = `${address.replace(/\/+$/, '')}/${npm ?? 'gantry'}/latest`;
  if (!URL.canParse(base)) throw new UsageError(`GANTRY_REGISTRY_URL is not a URL: ${address}`);
  return new URL(base);
}

function versionIn(body: string): string | undefined {
  const { version } = Object(tryParseJson(body)) as { version?: unknown };
  return typeof version === 'string' && version.length <= maxLength && semantic.test(version) ? version : undefined;
}

/** Semantic Versioning 2.0.0, in which a version has nothing that a terminal or a shell could take for something else. */
const semantic =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

function parse(version: string) {
  const [, major, minor, patch, before = ''] = semantic.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), before };
}
