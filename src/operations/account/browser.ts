import { type Environment, readVariable } from '../../config/environment.ts';

/** Whether a browser that we open is one that the person at this terminal sees. */
export function canShowBrowser(env: Environment, terminal: boolean, platform: NodeJS.Platform): boolean {
  if (!terminal || readVariable(env, 'SSH_CONNECTION') || readVariable(env, 'SSH_TTY')) return false;
  const drawn = readVariable(env, 'DISPLAY') ?? readVariable(env, 'WAYLAND_DISPLAY');
  return platform === 'win32' || platform === 'darwin' || drawn !== undefined;
}
