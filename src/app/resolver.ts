import { words } from '../kernel/words.ts';
import { runWithInput } from './python-syntax.ts';

export interface Requirements {
  lines: readonly string[];
  python: string;
}

export type Resolution = { is: 'solved' } | { is: 'refused'; said: string } | { is: 'unknown'; because?: string };

/** Asks uv, which installs nothing. Unknown without uv or PyPI, or with an index that the platform does not know. */
export async function resolveRequirements(
  { lines, python }: Requirements,
  { env, signal, timeoutMs }: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined; timeoutMs: number },
): Promise<Resolution> {
  const names = Object.keys(env);
  if (!env.PATH || names.some((name) => notAsked.test(name))) return { is: 'unknown' };
  const variables = Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^UV_/.test(name) || harmless.test(name)),
  );
  // The newest of its line: some packages refuse the first one.
  const args = [...flags, '--python-version', `${python}.99`, '-'];
  const input = `${lines.join('\n')}\n`;
  const { error, stderr } = await runWithInput('uv', args, input, { env: variables, signal, timeoutMs });
  if (!error) return { is: 'solved' };
  if (error.code === 'ENOENT') return { is: 'unknown', because: 'uv is not on the PATH' };
  if (error.killed) return { is: 'unknown', because: `uv had no answer in ${timeoutMs / 1000} s` };
  return /No solution found/.test(stderr) ? { is: 'refused', said: stderr } : { is: 'unknown' };
}

/** An index that the platform may not have, or a cache, which may be old. */
const notAsked = /^UV_(?:OFFLINE|DEFAULT_INDEX|INDEX\w*|EXTRA_INDEX_URL|FIND_LINKS)$/;

/** What changes how uv asks, and not what it finds. */
const harmless = /^UV_(?:CACHE_DIR|NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT)$/;

const flags = [
  ...words('pip compile --quiet --no-header --no-annotate --no-config --no-python-downloads'),
  // To build a package runs code of it. Pre-releases may be what is asked for.
  ...words('--no-build --prerelease allow --python-platform x86_64-unknown-linux-gnu'),
];
