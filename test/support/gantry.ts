import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Emulator } from '../../src/emulator/index.ts';
import type { TerminationSignal } from '../../src/kernel/errors.ts';
import type { Io } from '../../src/kernel/process.ts';
import { main } from '../../src/main.ts';
import { checkAdvice } from './advice.ts';
import { checkDeclared } from './declared.ts';
import { machine } from './machine.ts';

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

/** Text of one JSON document per line, parsed. */
export const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

export interface Setting {
  emulator?: Emulator;
  cwd?: string;
  env?: Record<string, string>;
  /** Pretends that stdout and stderr are a terminal of so many columns, and rows: without these there is no pager. */
  columns?: number | [columns: number, rows: number] | undefined;
  /** What comes through a pipe, or a terminal: `keys`. Without it, stdin stays open and silent. */
  stdin?: string | Buffer | PassThrough | Keys | undefined;
  clock?: Clock;
  /** What happens elsewhere while it waits, each time it does. */
  meanwhile?: () => unknown;
  /** Hears of all that stdout and stderr have, each time there is more. */
  seen?: (stdout: string, stderr: string) => unknown;
  /** Sends Ctrl-C or another signal, once. */
  stop?: Stop;
  /** What else differs from a process that works. */
  io?: Partial<Io>;
}

/** Without `now` it is the real one, ahead by what was waited for. */
interface Clock {
  /** Others may go by it as well: waiting moves it. */
  now?: number;
  /** How far the wall clock is off by now, in ms: asked each time it is read. */
  jumps?: () => number;
}

/** When it aborts, or when stderr or a piece of stdout matches. */
type Stop = AbortSignal | RegExp | { at: RegExp; signal: TerminationSignal };

class Keys {
  constructor(readonly typed: string | ((type: (keys: string) => void) => void)) {}
}

/** A terminal at which a person answers the first question, or is given a function that types. */
export function keys(typed: Keys['typed'] = ''): Keys {
  return new Keys(typed);
}

/** A wide terminal without colors, for tests of what people see there. Anywhere else tables are tab-separated. */
export const wideTerminal: Setting = { columns: 160, env: { NO_COLOR: '1' } };

/** Words, or a line that has no blank in any of them. */
export type Line = string | string[];

/** Runs one command line in this process, as `bin/gantry.cjs` would in its own. Nothing sleeps: its clock leaps. */
export async function gantry(line: Line, setting: Setting = {}): Promise<Outcome> {
  const words = typeof line === 'string' ? line.split(' ') : line;
  return checkAdvice(words, () => outcomeOf(words, setting));
}

async function outcomeOf(words: string[], setting: Setting): Promise<Outcome> {
  // Less than this passes on a busy machine while they are loaded, and no reply comes meanwhile.
  if ((setting.io?.silenceMs ?? 60_000) < 10_000) await loadSources();
  const waits: number[] = [];
  const behind: string[][] = [];
  const opened: string[] = [];
  const paged: Outcome['paged'] = [];
  const terminal = terminalOf(setting.stdin);
  const stopper = stopperOf(setting.stop);
  const [columns, rows] = [setting.columns ?? []].flat();
  const stdout = new Capture(columns, (_, written) => {
    setting.seen?.(stdout.text, stderr.text);
    stopper.notice(written);
  });
  const stderr = new Capture(columns, (text) => {
    terminal.answer(text);
    setting.seen?.(stdout.text, text);
    stopper.notice(text);
  });
  const code = await main(words, {
    ...ioOf(setting, waits),
    stdin: terminal.stdin,
    stdout: Object.assign(stdout, { rows }),
    stderr,
    onSignal: stopper.listen,
    ...setting.io,
    openBrowser: async (address) => {
      opened.push(address);
      return setting.io?.openBrowser?.(address) ?? true;
    },
    startPager: async (command) => {
      const shown = { command, text: '' };
      paged.push(shown);
      const pager = setting.io?.startPager ? await setting.io.startPager(command) : endlessPager;
      const write = async (text: string) => {
        shown.text += text;
        return pager?.write(text) ?? false;
      };
      return pager && { ...pager, write };
    },
    spawnDetached: async (started) => {
      behind.push(started);
      return setting.io?.spawnDetached?.(started) ?? (() => false);
    },
  });
  await checkDeclared(words, { code, stdout: stdout.text });
  return {
    code,
    stdout: stdout.text,
    stderr: stderr.text,
    bytes: Buffer.concat(stdout.chunks),
    json: () => JSON.parse(stdout.text),
    waits,
    behind,
    opened,
    paged,
  };
}

const endlessPager = { write: async (_: string) => true, end: async () => {} };

/** How long a command waits for what the emulator works at, in real ms: at a time, and in all. What hangs would never end. */
const work = { pauseMs: 8, patienceMs: 800 };

let loading: Promise<unknown> | undefined;

/** What commands and the emulator would else load when they need it. Once: files that are tested share what is loaded. */
function loadSources(): Promise<unknown> {
  const files = [
    'platform',
    'cli/commands',
    'deploys',
    'calls',
    'insight',
    'team',
    'local',
    'causes',
    'storage',
    'emulator',
  ].flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => resolve('src', folder, file)),
  );
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  loading ??= Promise.all(sources.map((file) => import(pathToFileURL(file).href)));
  return loading;
}

/** No command starts Python or git unless a test gives it `machine()` or `withGit`. Without any PATH, the system has one of its own. */
const withoutPrograms = () => machine({ PATH: '/nonexistent' });

/** All but the streams and the signals. Nothing sleeps: waiting moves the clock. */
function ioOf(
  { emulator, cwd = process.cwd(), env, clock = {}, meanwhile }: Setting,
  waits: number[],
): Omit<Io, 'stdin' | 'stdout' | 'stderr' | 'onSignal'> {
  let leapt = 0;
  let patienceMs = work.patienceMs;
  const now = () => clock.now ?? Date.now() + leapt;
  return {
    env: { ...withoutPrograms(), GANTRY_CONFIG_DIR: configFolder(), ...(emulator ? address(emulator) : {}), ...env },
    cwd,
    onIdle: () => () => {},
    quit: () => {},
    now: () => now() + (clock.jumps?.() ?? 0),
    elapsed: () => clock.now ?? Math.floor(performance.now()) + leapt,
    delay: async (ms, signal) => {
      const before = { own: now(), platform: emulator?.late.now() ?? 0 };
      waits.push(ms);
      leapt += ms;
      if (clock.now !== undefined) clock.now += ms;
      // An app takes its time to start: asked all the while, the emulator would take longer.
      if (emulator && patienceMs > 0 && isWorking(emulator)) {
        patienceMs -= work.pauseMs;
        await setTimeout(work.pauseMs, undefined, { signal });
      } else {
        await setImmediate();
      }
      await meanwhile?.();
      // What is late shows in time, and costs none.
      const moved = (emulator?.late.now() ?? 0) - before.platform;
      emulator?.late.pass(Math.max(0, now() - before.own - moved));
      signal.throwIfAborted();
    },
    openBrowser: async () => true,
    startPager: async () => undefined,
    spawnDetached: async () => () => false,
    // As the program's. Tests of silence set their own.
    silenceMs: 60_000,
  };
}

/** Whether it starts an app, or executes a run. */
function isWorking({ store }: Emulator): boolean {
  const builds = [...store.builds.values()].filter(({ cancelledAt }) => cancelledAt === undefined);
  const starts = builds.some(({ script }) => script.scenes.some(({ work }) => work && work.endedAt === undefined));
  return starts || [...store.runs.values()].some(({ real, runtimeMs }) => real && runtimeMs === undefined);
}

/** Stdin, and what the person at it does when stderr shows a question. */
function terminalOf(given: Setting['stdin']): { stdin: Io['stdin']; answer: (stderr: string) => void } {
  const isTTY = given instanceof Keys;
  const stdin = Object.assign(given instanceof PassThrough ? given : new PassThrough(), {
    isTTY,
    setRawMode: () => {},
  });
  if (typeof given === 'string' || given instanceof Buffer) stdin.end(given);
  let typed = isTTY ? given.typed : '';
  if (typeof typed === 'function') typed((keys) => stdin.write(keys));
  const answer = (stderr: string) => {
    if (typeof typed === 'function' || typed === '' || !stripVTControlCharacters(stderr).includes('? ')) return;
    const keys = typed;
    typed = '';
    setImmediate().then(() => stdin.write(keys));
  };
  return { stdin, answer };
}

function stopperOf(stop: Stop | undefined): { listen: Io['onSignal']; notice: (text: string) => void } {
  const { at, signal } =
    stop instanceof RegExp ? { at: stop, signal: 'SIGINT' as const } : stop && 'at' in stop ? stop : {};
  let send = () => {};
  return {
    listen(listener) {
      send = () => listener(signal ?? 'SIGINT');
      if (stop instanceof AbortSignal) stop.addEventListener('abort', () => listener('SIGINT'));
      return () => {
        send = () => {};
      };
    },
    notice(text) {
      if (!at?.test(text)) return;
      const once = send;
      send = () => {};
      once();
    },
  };
}

/** `io` of a process that starts commands of gantry in this one. They run until they end or `until` aborts. */
export function startsHere(setting: Setting, until: AbortSignal): Partial<Io> {
  return { spawnDetached: (words) => runBehind(words, setting, until) };
}

/** `io` of a process whose stdout is a file on a full disk. */
export function fullDisk(): Partial<Io> {
  const stdout = new Capture(undefined);
  stdout.write = (_: unknown, ...rest: unknown[]) => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    queueMicrotask(() => (rest.at(-1) as (error: Error) => void)(error));
    return false;
  };
  return { stdout };
}

/** Waits until it has printed something, or has ended. */
async function runBehind(words: string[], setting: Setting, until: AbortSignal): Promise<() => boolean> {
  let isAlive = true;
  await new Promise<void>((ready) => {
    const streams = {
      stdin: new PassThrough(),
      stdout: new Capture(undefined, () => ready()),
      stderr: new Capture(undefined),
    };
    const onSignal: Io['onSignal'] = (listener) => {
      until.addEventListener('abort', () => listener('SIGTERM'));
      return () => {};
    };
    main(words, { ...ioOf(setting, []), ...streams, onSignal }).finally(() => {
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
