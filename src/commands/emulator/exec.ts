import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { defineCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import { FailedError } from '../../errors.ts';
import { emulatorEnvironment, emulatorFlags, startEmulatorFromFlags } from '../../flags/emulator.ts';

export default defineCommand({
  configure: (command) =>
    emulatorFlags(command.usage('[flags] -- <command...>')).argument('<command...>', 'what to run, after --'),
  run: async (context, [program = '', ...words], options) => {
    const emulator = await startEmulatorFromFlags({ ...options, port: 0, onWarning: context.progress.warn });
    try {
      return { exitCode: await runChild(context, program, words, emulatorEnvironment(emulator)) };
    } finally {
      await emulator.close();
    }
  },
  exit: ({ exitCode }) => exitCode,
  view: () => () => '',
  examples: ['emulator exec -- gantry deploy', 'emulator exec --fault upload=reset-during -- gantry deploy'],
});

/** Runs the command on our own streams and gives back its exit code; 128 and the number of the signal that ended it. */
function runChild({ env, cwd, signal }: Context, program: string, words: string[], more: Record<string, string>) {
  return new Promise<number>((resolve, reject) => {
    const child = spawn(program, words, { cwd, env: { ...env, ...more }, stdio: 'inherit' });
    // Ctrl-C reaches the child by itself, SIGTERM does not.
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.on('error', (cause) => reject(new FailedError(`could not start ${program}: ${cause.message}`, { cause })));
    child.on('close', (code, ended) => resolve(code ?? 128 + (ended ? constants.signals[ended] : 0)));
  });
}
