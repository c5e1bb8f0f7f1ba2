import { type Environment, read } from './environment.ts';

/** Whether a browser that we open is one that the person at this terminal sees. */
export function browserIsNear(env: Environment, terminal: boolean, platform: NodeJS.Platform): boolean {
  if (!terminal || read(env, 'SSH_CONNECTION') || read(env, 'SSH_TTY')) return false;
  const drawn = read(env, 'DISPLAY') ?? read(env, 'WAYLAND_DISPLAY');
  return platform === 'win32' || platform === 'darwin' || drawn !== undefined;
}
