import { defineCommand } from '../command.ts';
import { listVolumes } from '../contract/volumes.ts';
import { parseVolumes } from '../operations/volumes/index.ts';
import { table } from '../output/table.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const answer = await api(listVolumes, { project });
    if (parseVolumes(answer).length === 0) progress.note('the platform tells of no volume');
    return answer;
  },
  view: (answer) =>
    table(
      parseVolumes(answer),
      {
        VOLUME: (volume) => volume.name,
        REGION: (volume) => volume.region,
        SIZE: (volume) => volume.size,
        USED: (volume) => volume.used,
        MORE: (volume) => volume.more,
      },
      { keep: ['VOLUME', 'USED', 'SIZE'], right: ['SIZE', 'USED'] },
    ),
  passesThrough: true,
  examples: ['df', 'df --json'],
});
