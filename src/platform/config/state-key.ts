import type { Settings } from './settings.ts';

/** Made by {@link stateKey} only. */
export type StateKey = string & { readonly madeBy: 'stateKey' };

/** A key with the service's address: two platforms may have equal names, and an emulator has a new one at each start. */
export function stateKey(address: string, ...parts: readonly string[]): StateKey {
  const text = JSON.stringify([address, ...parts]);
  // Loaded on demand: every command has this file, and few need a key.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 32) as StateKey;
}

/** The address of the platform in use, by which its state is told from that of others. */
export function platformOf({ addresses }: Pick<Settings, 'addresses'>): string {
  return addresses.management.value;
}
