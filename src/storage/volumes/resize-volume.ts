import { gantryCommand } from '../../kernel/command-line.ts';
import { PendingError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listVolumes, resizeVolume } from '../../platform/contract/volumes.ts';
import { ifTold, isRefusal, unconfirmedError, waitForChange } from '../../platform/waiting/index.ts';
import { sizeInGigabytes } from './parse-volumes.ts';
import { volumeRegion } from './walk-volume.ts';

/** After a confirmation. PendingError if the old size is still reported: it may not be asked for again. */
export async function growVolume(context: Context, newSizeGb: number) {
  const { api, project, settings, prompt, progress, willChange, delay } = context;
  const region = volumeRegion(settings);
  const volume = `default-${region}`;
  const readShown = async () => sizeInGigabytes(await api(listVolumes, { project }), region);
  // The list of volumes is undocumented, so a failure is not an error: the size is unknown then.
  const readSize = () => ifTold(context, readShown());
  const currentGb = await readSize();
  if (currentGb !== undefined && currentGb > newSizeGb) {
    throw new UsageError(`${volume} has ${currentGb} GB and cannot be made smaller`, {
      fix: gantryCommand`volumes list`,
    });
  }
  const grown = { volume, region, sizeGb: newSizeGb, changed: true };
  if (currentGb === newSizeGb) return { ...grown, confirmed: true, changed: false };
  await prompt.confirm(`Grow ${volume} to ${newSizeGb} GB? It costs more and cannot be reduced later.`);
  willChange(`grow ${volume} to ${newSizeGb} GB`, { ...grown, confirmed: false });
  await api(resizeVolume, { project, volume, body: { newSizeGb } });
  const reportedGb = await waitForChange(
    // Where it was shown, a refusal is one to show whether it changed.
    currentGb === undefined ? readSize : readShown,
    (size) => size === undefined || size >= newSizeGb,
    delay,
  ).catch((error) => {
    throw isRefusal(error) ? unconfirmedError(`${volume} has ${newSizeGb} GB`, error) : error;
  });
  if (reportedGb === undefined) {
    progress.warn(`the platform accepted the change, but does not show whether ${volume} has ${newSizeGb} GB`);
    return { ...grown, confirmed: false };
  }
  if (reportedGb >= newSizeGb) return { ...grown, confirmed: true };
  throw new PendingError(`${volume} still has ${reportedGb} GB`, {
    why: 'the platform accepted the new size, but still reports the old one',
    fix: gantryCommand`volumes list`,
    details: { volume, region, newSizeGb, sizeGb: reportedGb },
  });
}
