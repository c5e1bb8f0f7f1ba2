import { constants } from 'node:os';
import { killTree } from '../../../emulator/index.ts';
import { FailedError } from '../../../kernel/errors.ts';
import { ownCommand } from '../../../own-files.ts';
import type { Context } from '../../../platform/context.ts';
import { defineCommand } from '../../command.ts';
import { emulatorEnvironment, emulatorFlags, startEmulatorFromFlags } from '../../flags/emulator.ts';

export default defineCommand({
  configure: (command) =>
    emulatorFlags(command.usage('[flags] -- <command...>')).argument('<command...>', 'command to run, after --'),
  run: async (context, [program = '', ...args], options) => {
    const emulator = await startEmulatorFromFlags(context, { ...options, port: 0, onWarning: context.progress.warn });
    try {
      // The emulator ends with the command: later ones in the folder could not use it.
      const environment = { ...emulatorEnvironment(emulator), GANTRY_FOLDER_TARGET: 'off' };
      return { exitCode: await runChild(context, program, args, environment) };
    } finally {
      await emulator.close();
    }
  },
  exit: ({ exitCode }) => exitCode,
  effect: 'changes',
  local: true,
  unattended: false,
  exits: ['not-found', 'conflict', 'project'],
  examples: ['emulator exec -- gantry deploy', 'emulator exec --fault upload=reset-during -- gantry deploy'],
});

/** `gantry` is this program, whatever the PATH has. Returns 128 plus the number of the signal that ended it. */
async function runChild({ env, cwd, signal }: Context, program: string, args: string[], more: Record<string, string>) {
  const { execa } = await import('execa');
  const [command, ...before] = program === 'gantry' ? ownCommand() : [program];
  // The library starts .cmd and .bat files on Windows, as a shell does.
  const child = execa(command, [...before, ...args], {
    cwd,
    env: { ...env, ...more },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
    cleanup: false,
  });
  // The terminal sends Ctrl-C to the child as well, but SIGTERM reaches this process only.
  signal.addEventListener('abort', () => endChild(child), { once: true });
  const { exitCode, signal: ended, cause } = await child;
  if (exitCode === undefined && ended === undefined)
    throw new FailedError(`cannot start ${program}: ${(cause as Error).message}`, { cause });
  return exitCode ?? 128 + (ended ? constants.signals[ended] : 0);
}

/** On Windows the child may be a shell, whose own child would go on. */
function endChild(child: { pid?: number; kill(signal: 'SIGTERM'): void }): void {
  if (process.platform === 'win32' && child.pid !== undefined) killTree(child.pid, 'SIGTERM');
  else child.kill('SIGTERM');
}
