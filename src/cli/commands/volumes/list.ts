import { forPeople } from '../../../kernel/output/format.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { listVolumes } from '../../../platform/contract/volumes.ts';
import { parseVolumes, type VolumeAmount } from '../../../storage/volumes/index.ts';
import { defineCommand } from '../../command.ts';
import { anyDocument } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const reply = await api(listVolumes, { project });
    if (parseVolumes(reply).length === 0) progress.note('the platform reports no volumes');
    return reply;
  },
  view: (reply) =>
    table(parseVolumes(reply), ['VOLUME', 'USED', 'SIZE'], {
      VOLUME: (volume) => volume.name,
      REGION: (volume) => volume.region,
      SIZE: ({ size }) => amountCell(size),
      USED: ({ used }) => amountCell(used),
      MORE: (volume) => volume.more,
    }),
  json: anyDocument('volumes; platform value, passed through'),
  effect: 'reads',
  examples: ['volumes list', 'volumes list --json'],
});

/** Off a terminal in bytes, as in the other commands, if the unit is known. */
function amountCell(amount: VolumeAmount | undefined): Cell {
  return forPeople(amount?.text ?? '', amount?.bytes ?? amount?.text);
}
