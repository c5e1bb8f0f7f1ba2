import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { listVolumes, resizeVolume } from '../../contract/volumes.ts';
import { GantryError, PendingError, UsageError } from '../../errors.ts';
import { waitForChange } from '../waiting/index.ts';
import { sizeInGigabytes } from './parse-volumes.ts';
import { volumeRegion } from './walk-volume.ts';

export interface ResizedVolume {
  volume: string;
  region: string;
  sizeGb: number;
  /** Whether the platform reports the new size; false if it reports none. */
  confirmed: boolean;
}

/**
 * Grows the current region's volume after a confirmation. Throws UsageError if it is larger already, PendingError if the
 * old size is still reported.
 */
export async function growVolume(context: Context, newSizeGb: number): Promise<ResizedVolume> {
  const { api, project, settings, prompt, willChange, delay } = context;
  const region = volumeRegion(settings);
  const volume = `default-${region}`;
  const currentGb = await readSize(context, region);
  if (currentGb !== undefined && currentGb > newSizeGb) {
    throw new UsageError(`${volume} has ${currentGb} GB and cannot be made smaller`, {
      fix: gantryCommand`volumes list`,
    });
  }
  await prompt.confirm(`Grow ${volume} to ${newSizeGb} GB? It costs more and cannot be reduced later.`);
  willChange(`grow ${volume} to ${newSizeGb} GB`, { volume, region, sizeGb: newSizeGb, confirmed: false });
  await api(resizeVolume, { project, volume, body: { newSizeGb } });
  const reportedGb = await waitForChange(
    () => readSize(context, region),
    (size) => size === undefined || size >= newSizeGb,
    delay,
  );
  if (reportedGb === undefined || reportedGb >= newSizeGb)
    return { volume, region, sizeGb: newSizeGb, confirmed: reportedGb !== undefined };
  throw new PendingError(`${volume} still has ${reportedGb} GB`, {
    why: 'the platform accepted the new size, but still reports the old one',
    fix: gantryCommand`volumes list`,
    details: { volume, region, newSizeGb, sizeGb: reportedGb },
  });
}

/** The list of volumes is undocumented, so a failure is not an error: the size is unknown then. */
async function readSize({ api, project, signal }: Context, region: string): Promise<number | undefined> {
  try {
    return sizeInGigabytes(await api(listVolumes, { project }), region);
  } catch (error) {
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    return undefined;
  }
}
