import type { BuildRecord } from '../../model/state/records.ts';

/** Whether a server listens on the configured port whatever the emulator tells it: its command does not name the port. */
export function hasFixedPort({ settings }: BuildRecord): boolean {
  const { entrypoint, port } = settings;
  return sharesPort({ settings }) && !new RegExp(`(?<!\\d)${port}(?!\\d)`).test(entrypoint.join(' '));
}

/** An app's own server has one port of this machine, so it has one replica. Each container has ports of its own. */
export function sharesPort({ settings }: Pick<BuildRecord, 'settings'>): boolean {
  return settings.runtime === 'custom' && !settings.dockerfilePath;
}
