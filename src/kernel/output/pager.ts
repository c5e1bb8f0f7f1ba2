import parseArgs from 'string-argv';
import { type Environment, readVariable } from '../environment.ts';
import type { Stream } from './page.ts';

export interface Pager {
  write(text: string): Promise<boolean>;
  end(): Promise<void>;
}

interface PagerOptions {
  stdout: Stream & { rows?: number | undefined };
  env: Environment;
  start: (command: readonly [string, ...string[]]) => Promise<Pager | undefined>;
  write: (text: string) => Promise<void>;
}

/** Holds text back until it is more than a screen, and then shows it in a pager. */
export function createPagedOutput({ stdout, env, start, write }: PagerOptions): Pager {
  const { rows = 0, columns = 80 } = stdout;
  let command = rows > 0 ? pagerCommand(env) : undefined;
  let pager: Pager | undefined;
  let held = '';
  return {
    async write(text) {
      if (pager) return pager.write(text);
      held += text;
      const height = held.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), -1);
      if (command && height <= rows) return true;
      pager = command && (await start(command));
      command = undefined;
      const waiting = held;
      held = '';
      if (pager) return pager.write(waiting);
      await write(waiting);
      return true;
    },
    async end() {
      const rest = held;
      const running = pager;
      held = '';
      pager = undefined;
      if (rest) await write(rest);
      await running?.end();
    },
  };
}

/** `less` ends at once if all fits on the screen, keeps colors, and leaves the text on the terminal. */
function pagerCommand(env: Environment): [string, ...string[]] | undefined {
  const chosen = readVariable(env, 'GANTRY_PAGER') ?? readVariable(env, 'PAGER') ?? 'less -FRX';
  const [command, ...args] = parseArgs(chosen);
  return command === undefined || command === 'cat' ? undefined : [command, ...args];
}
