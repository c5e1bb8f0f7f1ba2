import { join } from 'node:path';
import { makePrivateFolder, readRegularSync, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { type StateKey, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { findNewestVersion, registryUrl } from './newest-version.ts';

const dayMs = 86_400_000;

interface KnownVersion {
  /** The registry that was asked. */
  registry: StateKey;
  /** Absent if it could not be found out. */
  version?: string | undefined;
  /** In ms since the epoch. */
  askAgainAt: number;
}

/** The newest released version, asked for at most once a day; undefined if the registry did not tell. */
export async function newestVersionOfToday(context: Context): Promise<string | undefined> {
  const { env, settings, signal, now } = context;
  const file = join(settings.folders.cache, 'newest-version.json');
  const url = registryUrl(env);
  if (!url) return undefined;
  const registry = stateKey(url.href);
  const known = readKnown(file, registry);
  // A clock that was far ahead must not end the questions.
  if (known && now() < known.askAgainAt && known.askAgainAt < now() + dayMs * 2) return known.version;
  const version = await findNewestVersion(context, url).catch(() => undefined);
  signal.throwIfAborted();
  remember(settings.folders.cache, file, { registry, version, askAgainAt: now() + dayMs });
  return version;
}

function readKnown(file: string, registry: StateKey): KnownVersion | undefined {
  try {
    const { version, askAgainAt, registry: asked } = JSON.parse(String(readRegularSync(file)));
    if (asked !== registry || typeof askAgainAt !== 'number') return undefined;
    return { registry, version: typeof version === 'string' ? version : undefined, askAgainAt };
  } catch {
    return undefined;
  }
}

/** A read-only home only means that it is asked for again. */
function remember(folder: string, file: string, known: KnownVersion): void {
  try {
    makePrivateFolder(folder);
    writeFileAtomicSync(file, JSON.stringify(known), { mode: 0o600 });
  } catch {}
}
