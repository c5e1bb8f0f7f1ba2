import { InvalidArgumentError } from 'commander';
import { wrapped } from '../../../kernel/output/table.ts';
import { growVolume } from '../../../storage/volumes/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, document, number, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('<size>', 'new size, 50GB to 1TB; a plain number is in GB', gigabytes),
  run: (context, newSizeGb) => growVolume(context, newSizeGb),
  view: ({ volume, sizeGb, confirmed, changed }) => {
    const done = confirmed ? `resized ${volume} to ${sizeGb} GB` : `the platform accepted ${sizeGb} GB for ${volume}`;
    return wrapped(changed ? done : `${volume} has ${sizeGb} GB already`);
  },
  effect: 'changes',
  dryRun: true,
  exits: ['pending'],
  json: document({
    volume: text('volume name (platform value)'),
    region: text('region of the volume'),
    sizeGb: number('requested size in GB'),
    confirmed: boolean('true if the platform reports the new size; false if it reports none'),
    changed: boolean('false if it had this size already'),
  }),
  examples: ['volumes resize 200GB', 'volumes resize 1TB --region global --yes'],
});

/** Parses `200`, `200GB` and `0.2TB` to 200. The platform accepts 50 to 1000 GB (docs/platform.md#volumes). */
function gigabytes(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(GB|TB)?$/i.exec(text) ?? [];
  const size = Number(number) * (unit?.toUpperCase() === 'TB' ? 1000 : 1);
  if (Number.isInteger(size) && size >= 50 && size <= 1000) return size;
  throw new InvalidArgumentError('Expected 50GB to 1TB in whole GB, and more than the volume has.');
}
