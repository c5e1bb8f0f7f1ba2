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
import { record, stream, text } from '../../result-schema.ts';

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
  effect: 'changes',
  exits: ['conflict', 'project'],
  json: stream({
    url: text('URL of the emulator'),
    project: text('project id'),
    token: text('token; valid for this emulator only'),
    approveUrl: text('URL that lets your browser approve logins; keep it secret'),
    environment: record(text('value'), 'environment variables for gantry and the official client'),
  }),
  examples: [
    'emulator start',
    'emulator start --data-dir .gantry --pace 300',
    'emulator start --no-seed',
    'emulator start --fault createApp=503,429:2',
    'emulator start --allow-origin http://localhost:3000',
  ],
});

/** Yields the emulator's URL and token, then runs it until Ctrl-C. */
async function* serve(context: Context, options: EmulatorFlags & { port: number }) {
  const { progress, signal } = context;
  const emulator = await startEmulatorFromFlags(context, { ...options, onWarning: progress.warn });
  try {
    progress.note(`emulator listening on ${emulator.url}; press Ctrl-C to stop`);
    progress.note(`to approve logins (gantry login), open ${emulator.approvalAddress} in your browser once`);
    if (!(await findPython())) progress.note('python3 not found: calls of apps are simulated');
    const { url, project, token } = emulator;
    yield { url, project, token, approveUrl: emulator.approvalAddress, environment: emulatorEnvironment(emulator) };
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await emulator.close();
  }
}
