import { findEmulator, stopEmulator } from '../../../local/emulator/index.ts';
import { defineCommand } from '../../command.ts';
import { emulatorFields, portFlag } from '../../flags/emulator.ts';
import { document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.option(...portFlag),
  run: async (context, flags) => {
    const emulator = findEmulator(context, flags.port);
    await stopEmulator(context, emulator);
    const { pid, port, url, folder } = emulator;
    return { pid, port, url, folder };
  },
  view: ({ port, folder }) => `stopped the emulator on port ${port}, of ${folder}`,
  effect: 'destroys',
  local: true,
  exits: ['not-found', 'denied', 'unavailable'],
  json: document({
    ...emulatorFields,
    folder: text('folder it ran in'),
  }),
  details: ['Ends gantry dev or gantry emulator start as Ctrl-C does.'],
  examples: ['emulator stop', 'emulator stop --port 4101'],
});
