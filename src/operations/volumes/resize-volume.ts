import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { listVolumes, resizeVolume } from '../../contract/volumes.ts';
import { GantryError, PendingError } from '../../errors.ts';
import { waitForChange } from '../waiting/index.ts';
import { sizeInGigabytes } from './parse-volumes.ts';
import { volumeRegion } from './walk-volume.ts';

export interface ResizedVolume {
  volume: string;
  region: string;
  newSizeGb: number;
  /** Whether the platform shows the new size; false where it shows none. */
  confirmed: boolean;
}

/** Grows the volume of a region, after a question. Throws PendingError if the platform goes on showing another size. */
export async function growVolume(
  { api, project, settings, prompt, delay, signal }: Context,
  newSizeGb: number,
): Promise<ResizedVolume> {
  const region = volumeRegion(settings);
  const volume = `default-${region}`;
  await prompt.confirm(`Grow ${volume} to ${newSizeGb} GB? It costs more, and it cannot be made smaller again.`);
  await api(resizeVolume, { project, volume, body: { newSizeGb } });
  const shown = await waitForChange(
    async () => sizeInGigabytes(await api(listVolumes, { project }), region),
    (size) => size === undefined || size >= newSizeGb,
    delay,
  ).catch((error: unknown) => {
    // The list of volumes is not documented: a platform need not have one.
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    return undefined;
  });
  if (shown === undefined || shown >= newSizeGb) return { volume, region, newSizeGb, confirmed: shown !== undefined };
  throw new PendingError(`${volume} still has ${shown} GB`, {
    why: 'the platform confirmed the new size, but does not show it',
    fix: gantryCommand`df`,
    details: { volume, region, newSizeGb, sizeGb: shown },
  });
}
