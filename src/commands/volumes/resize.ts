import { InvalidArgumentError } from 'commander';
import { defineCommand } from '../../command.ts';
import { growVolume } from '../../operations/volumes/index.ts';

export default defineCommand({
  configure: (command) =>
    command.argument('<size>', 'the new size, from 50GB to 1TB; a plain number is in GB', gigabytes),
  run: (context, newSizeGb) => growVolume(context, newSizeGb),
  view:
    ({ volume, newSizeGb, confirmed }) =>
    () =>
      confirmed ? `${volume} has ${newSizeGb} GB now` : `the platform accepted ${newSizeGb} GB for ${volume}`,
  json: {
    volume: 'the volume, as the platform names it',
    region: 'its region',
    newSizeGb: 'the size asked for, in GB',
    confirmed: 'whether the platform shows that size; false where it shows none',
  },
  examples: ['volumes resize 200GB', 'volumes resize 1TB --region global --yes'],
});

/** `200`, `200GB` and `0.2TB` are 200. The platform counts in GB, from 50 to 1000 (docs/platform.md#volumes). */
function gigabytes(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(GB|TB)?$/i.exec(text) ?? [];
  const size = Number(number) * (unit?.toUpperCase() === 'TB' ? 1000 : 1);
  if (Number.isInteger(size) && size >= 50 && size <= 1000) return size;
  throw new InvalidArgumentError('Write a size from 50GB to 1TB, in whole GB.');
}
