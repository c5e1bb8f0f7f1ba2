import parseArgs from 'string-argv';
import { type Environment, readVariable } from '../config/environment.ts';
import type { Stream } from './page.ts';

/** A command and its arguments. */
export type PagerCommand = readonly [command: string, ...args: string[]];

interface PagerOptions {
  stdout: Stream & { rows?: number | undefined };
  env: Environment;
  /** Shows the text in the pager until the user quits it. Returns false if there is no such command. */
  run: (command: PagerCommand, text: string) => Promise<boolean>;
}

/** Shows texts of more than a screen in a pager, and returns whether it did. */
export function createPager({ stdout, env, run }: PagerOptions): (text: string) => Promise<boolean> {
  return async (text) => {
    const { rows = 0, columns = 80 } = stdout;
    const command = pagerCommand(env);
    return command !== undefined && rows > 0 && height(text, columns) > rows && run(command, text);
  };
}

/** `less` ends at once if all fits on the screen, keeps colors, and leaves the text on the terminal. */
function pagerCommand(env: Environment): PagerCommand | undefined {
  const chosen = readVariable(env, 'GANTRY_PAGER') ?? readVariable(env, 'PAGER') ?? 'less -FRX';
  const [command, ...args] = parseArgs(chosen);
  return command === undefined || command === 'cat' ? undefined : [command, ...args];
}

/** In rows. Wide lines take several. */
function height(text: string, columns: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), -1);
}
