import { type Environment, readVariable } from '../../kernel/environment.ts';
import type { Context } from '../../platform/context.ts';
import { isSecure } from '../../platform/contract/address.ts';

/** Opens a URL from the platform in the user's browser. Never fails: says why if it cannot. */
export async function openInBrowser(
  { openBrowser, progress }: Pick<Context, 'openBrowser' | 'progress'>,
  url: string,
): Promise<void> {
  if (!URL.canParse(url) || !isSecure(new URL(url))) {
    progress.warn('the URL was not opened: it is not https');
  } else if (!(await openBrowser(new URL(url).href))) {
    progress.note('cannot open a browser: open the URL yourself');
  }
}

/** Whether the user at this terminal would see a browser that is opened here. */
export function canShowBrowser(env: Environment, isTerminal: boolean, platform: NodeJS.Platform): boolean {
  if (!isTerminal || readVariable(env, 'SSH_CONNECTION') || readVariable(env, 'SSH_TTY')) return false;
  const display = readVariable(env, 'DISPLAY') ?? readVariable(env, 'WAYLAND_DISPLAY');
  return platform === 'win32' || platform === 'darwin' || display !== undefined;
}
