import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Emulator } from '../../src/emulator/index.ts';
import type { TerminationSignal } from '../../src/errors.ts';
import { main } from '../../src/main.ts';
import type { Io } from '../../src/process.ts';
import { checkAdvice } from './advice.ts';
import { checkDeclared } from './declared.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout, for what is no text. */
  bytes: Buffer;
  /** stdout, parsed. */
  json: () => unknown;
  /** How long it wanted to wait, in milliseconds, each time it did. */
  waits: number[];
  /** Commands it started and did not wait for. */
  behind: string[][];
  /** Addresses it showed in a browser. */
  opened: string[];
  /** What it showed in a pager. */
  paged: { command: readonly string[]; text: string }[];
}

export interface Setting {
  emulator?: Emulator;
  cwd?: string;
  env?: Record<string, string>;
  /** Pretends that stdout and stderr are a terminal of so many columns. */
  columns?: number;
  /** The height of that terminal; without it there is no pager. */
  rows?: number;
  /** Whether the pager can be started, and whether the user quits it at once. */
  pager?: boolean | 'quit';
  /** What a person types at the first question; giving it makes stdin a terminal. */
  typed?: string;
  /** Makes stdin a terminal at which nothing is typed. */
  terminal?: boolean;
  /** Makes stdin a terminal, and is given a function that types at it. */
  keyboard?: (type: (keys: string) => void) => void;
  /** What comes through a pipe; without it, and without a terminal, stdin stays open and silent. */
  stdin?: string | Buffer | PassThrough;
  silenceMs?: number;
  /** A clock that others go by as well: waiting moves it. */
  clock?: { now: number };
  /** How far the wall clock is off by now, milliseconds: asked each time it is read. */
  jumps?: () => number;
  /** What happens elsewhere while it waits, each time it does. */
  meanwhile?: () => unknown;
  /** Hears of all that stdout has, each time there is more. */
  seen?: (stdout: string) => unknown;
  /** The same of stderr. */
  said?: (stderr: string) => unknown;
  /** Sends Ctrl-C when it aborts. */
  stop?: AbortSignal;
  /** Says, when it aborts, that nothing is left to wait for. */
  idle?: AbortSignal;
  /** Sends Ctrl-C, once, when stderr matches. */
  interruptAt?: RegExp;
  /** Sends Ctrl-C, once, when a piece of stdout matches: the end of what has none. */
  endAt?: RegExp;
  /** Whether there is a browser. */
  browser?: boolean;
  /** Runs what it starts in the background, in this process, until it ends or this aborts. */
  background?: AbortSignal;
  /** Stdout is a file on a full disk. */
  isDiskFull?: boolean;
  /** Sends another signal instead. */
  signal?: TerminationSignal;
}

/** A wide terminal without colors, for tests of what people see there. Anywhere else tables are tab-separated. */
export const wideTerminal: Setting = { columns: 160, env: { NO_COLOR: '1' } };

/** Runs one command line in this process, as `bin/gantry.cjs` would in its own. Nothing sleeps: its clock leaps. */
export async function gantry(words: string[], setting: Setting = {}): Promise<Outcome> {
  return checkAdvice(words, () => outcomeOf(words, setting));
}

async function outcomeOf(words: string[], setting: Setting): Promise<Outcome> {
  const {
    emulator,
    cwd = process.cwd(),
    env = {},
    columns,
    typed,
    silenceMs = 5_000,
    interruptAt,
    browser = true,
  } = setting;
  const waits: number[] = [];
  const behind: string[][] = [];
  const opened: string[] = [];
  const paged: Outcome['paged'] = [];
  let leapt = 0;
  let asked = false;
  let interrupt = () => {};
  const stdout = new Capture(columns, (text, written) => {
    setting.seen?.(text);
    if (!setting.endAt?.test(written)) return;
    const once = interrupt;
    interrupt = () => {};
    once();
  });
  const stderr = new Capture(columns, (text) => {
    if (typed && !asked && stripVTControlCharacters(text).includes('? ')) {
      asked = true;
      setImmediate().then(() => stdin.write(typed));
    }
    setting.said?.(text);
    if (!interruptAt?.test(text)) return;
    const once = interrupt;
    interrupt = () => {};
    once();
  });
  Object.assign(stdout, { rows: setting.rows });
  if (setting.isDiskFull) stdout.write = fullDisk;
  const stdin = Object.assign(setting.stdin instanceof PassThrough ? setting.stdin : new PassThrough(), {
    isTTY: typed !== undefined || setting.terminal === true || setting.keyboard !== undefined,
    setRawMode: () => {},
  });
  setting.keyboard?.((keys) => stdin.write(keys));
  if (setting.stdin !== undefined && setting.stdin !== stdin) stdin.end(setting.stdin);
  const io: Io = {
    stdin,
    stdout,
    stderr,
    env: { GANTRY_CONFIG_DIR: configFolder(), LANG: 'C.UTF-8', ...(emulator ? address(emulator) : {}), ...env },
    cwd,
    onSignal(listener) {
      setting.stop?.addEventListener('abort', () => listener('SIGINT'));
      interrupt = () => listener(setting.signal ?? 'SIGINT');
      return () => {
        interrupt = () => {};
      };
    },
    onIdle(listener) {
      setting.idle?.addEventListener('abort', listener, { once: true });
      return () => setting.idle?.removeEventListener('abort', listener);
    },
    quit: () => {},
    now: () => (setting.clock ? setting.clock.now : Date.now() + leapt) + (setting.jumps?.() ?? 0),
    elapsed: () => (setting.clock ? setting.clock.now : Math.floor(performance.now()) + leapt),
    delay: async (ms, signal) => {
      waits.push(ms);
      leapt += ms;
      if (setting.clock) setting.clock.now += ms;
      await setImmediate();
      await setting.meanwhile?.();
      signal.throwIfAborted();
    },
    openBrowser: async (address) => {
      opened.push(address);
      return browser;
    },
    startPager: async (command) => {
      const pager = { command, text: '' };
      paged.push(pager);
      if (setting.pager === false) return undefined;
      const write = async (text: string) => {
        pager.text += text;
        return setting.pager !== 'quit';
      };
      return { write, end: async () => {} };
    },
    spawnDetached: async (started) => {
      behind.push(started);
      return setting.background ? runBehind(started, io, setting.background) : () => false;
    },
    silenceMs,
  };
  const code = await main(words, io);
  const bytes = Buffer.concat(stdout.chunks);
  await checkDeclared(words, { code, stdout: stdout.text });
  return {
    code,
    stdout: stdout.text,
    stderr: stderr.text,
    bytes,
    json: () => JSON.parse(stdout.text),
    waits,
    behind,
    opened,
    paged,
  };
}

function fullDisk(_: unknown, ...rest: unknown[]): boolean {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  queueMicrotask(() => (rest.at(-1) as (error: Error) => void)(error));
  return false;
}

/** Waits until it has printed something, or has ended. */
async function runBehind(words: string[], io: Io, until: AbortSignal): Promise<() => boolean> {
  let isAlive = true;
  await new Promise<void>((ready) => {
    const own = { stdout: new Capture(undefined, () => ready()), stderr: new Capture(undefined) };
    const onSignal: Io['onSignal'] = (listener) => {
      until.addEventListener('abort', () => listener('SIGTERM'));
      return () => {};
    };
    const env = { GANTRY_CONFIG_DIR: io.env.GANTRY_CONFIG_DIR, PATH: process.env.PATH };
    main(words, { ...io, ...own, env, onSignal }).finally(() => {
      isAlive = false;
      ready();
    });
  });
  return () => isAlive;
}

/** Of this test file: root could create a folder anywhere, and a login stored there would outlive the run. */
export function configFolder(): string {
  return join(tmpdir(), 'gantry-test-config');
}

/** How commands name an emulator as their target. */
export function targetOf({ url, project }: Emulator, named = project): string {
  return `${named} (emulator on port ${new URL(url).port})`;
}

export function address({ url, token, project }: Emulator): Record<string, string> {
  return { GANTRY_API_URL: url, GANTRY_INFERENCE_URL: url, GANTRY_TOKEN: token, GANTRY_PROJECT: project };
}

class Capture extends Writable {
  text = '';
  readonly chunks: Buffer[] = [];
  readonly isTTY: boolean;

  constructor(
    readonly columns: number | undefined,
    private readonly seen: (text: string, written: string) => void = () => {},
  ) {
    super();
    this.isTTY = columns !== undefined;
  }

  /** What an animation asks of a terminal. */
  cursorTo(): boolean {
    return true;
  }
  moveCursor(): boolean {
    return true;
  }
  clearLine(): boolean {
    return true;
  }

  /** A process's own streams cannot be ended either. */
  override end(): this {
    return this;
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    this.chunks.push(chunk);
    this.seen(this.text, String(chunk));
    done();
  }
}
