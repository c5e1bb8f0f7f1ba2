import { once } from 'node:events';
import { defineCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import { findPython } from '../../emulator/index.ts';
import {
  type EmulatorFlags,
  emulatorEnvironment,
  emulatorFlags,
  startEmulatorFromFlags,
} from '../../flags/emulator.ts';
import { wholeNumberFlag } from '../../flags/values.ts';

export default defineCommand({
  configure: (command) =>
    emulatorFlags(command).option('--port <number>', 'port to listen on', wholeNumberFlag(0, 65_535), 4100),
  run: (context, options) => serve(context, options),
  verbatim: () => true,
  view:
    ({ environment }) =>
    () =>
      Object.entries(environment)
        .map(([name, value]) => `export ${name}='${value}'`)
        .join('\n'),
  json: {
    url: 'address of the emulated platform',
    project: 'its project',
    token: 'its token; worth nothing anywhere else',
    approve: 'address that lets your browser approve logins; keep it secret',
    environment: 'the variables that point gantry (and the official client) at it',
  },
  examples: [
    'emulator start',
    'emulator start --data .gantry --pace 300',
    'emulator start --no-seed',
    'emulator start --fault createApp=503,429:2',
    'emulator start --allow-origin http://localhost:3000',
  ],
});

/** Tells where the emulator is, once, and keeps it up until Ctrl-C. */
async function* serve({ progress, signal }: Context, options: EmulatorFlags & { port: number }) {
  const emulator = await startEmulatorFromFlags({ ...options, onWarning: progress.warn });
  try {
    progress.note(`the emulator listens on ${emulator.url}; Ctrl-C stops it`);
    progress.note(`to approve logins (gantry login), open ${emulator.approvalAddress} in your browser once`);
    if (!(await findPython())) progress.note('there is no python3 on this machine: calls of apps are simulated');
    const { url, project, token } = emulator;
    yield { url, project, token, approve: emulator.approvalAddress, environment: emulatorEnvironment(emulator) };
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await emulator.close();
  }
}
