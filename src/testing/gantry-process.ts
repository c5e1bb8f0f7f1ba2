import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** A command of gantry failed. The message has what it printed on stderr. */
export class GantryFailed extends Error {
  override readonly name = 'GantryFailed';

  constructor(
    words: readonly string[],
    readonly exitCode: number | null,
    readonly stderr: string,
  ) {
    super(`gantry ${words.join(' ')} exited with ${exitCode}\n\n${stderr.trim()}`);
  }
}

type ProcessVariables = Record<string, string | undefined>;

/** Without settings of gantry, so that tests neither use nor change logins, targets and history of the user. */
export function privateEnvironment(folder: string): ProcessVariables {
  const kept = Object.entries(process.env).filter(([name]) => !settings.test(name));
  const { GANTRY_CONFIG_DIR: own } = process.env;
  return {
    ...Object.fromEntries(kept),
    ...(own && { XDG_CACHE_HOME: own }),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
}

/** Its own variables, and those of the official client. */
const settings = /^(GANTRY_|CEREBRIUM_)|^(REST_API_URL|AUTH_URL|CLIENT_ID|LOGSTREAM_URL)$/;

/** What a command prints. Rejects with a GantryFailed for any exit code but 0. */
export async function runGantry(
  command: readonly string[],
  words: readonly string[],
  { env, cwd }: { env: ProcessVariables; cwd: string },
): Promise<string> {
  const [program = '', ...before] = command;
  // Otherwise Node would say that the program does not exist.
  if (!existsSync(cwd)) throw new Error(`folder not found: ${cwd}`);
  const child = spawn(program, [...before, ...words], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  if (exitCode !== 0) throw new GantryFailed(words, exitCode, stderr);
  return stdout;
}

/** A command that runs until it is stopped or this process ends, and the line of JSON that it prints when it is ready. */
export async function startGantry(
  command: readonly string[],
  words: readonly string[],
  env: ProcessVariables,
): Promise<StartedGantry> {
  const [program = '', ...before] = command;
  const child = spawn(program, [...before, ...words, '--json'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-maxStderr);
  });
  const ended = exitOf(child);
  const first = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
  const ready = readyIn(await Promise.race([first, ended.then(() => '')]));
  if (ready === undefined) throw new GantryFailed(words, await ended, stderr);
  // It ends with its stdin, and so with this process, which need not wait for it.
  for (const stream of [child, child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref(): void }).unref();
  const untilEnded = async () => {
    child.ref();
    await ended;
  };
  return { ready, kill: () => child.kill('SIGKILL'), ended: untilEnded };
}

export interface StartedGantry {
  ready: Ready;
  kill(): void;
  ended(): Promise<void>;
}

interface Ready {
  url: string;
  project: string;
  environment: Record<string, string>;
}

const maxStderr = 10_000;

/** Rejects if the program cannot be started. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
}

/** Undefined for an error, and for a program that ended without a word. */
function readyIn(line: string): Ready | undefined {
  try {
    const document = JSON.parse(line) as Ready;
    return document.environment && document;
  } catch {
    return undefined;
  }
}

/** A call has another status than 2xx. The message has the response and the log of the run. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  constructor(
    what: string,
    readonly status: number,
    readonly body: string,
    log: readonly string[],
  ) {
    const printed = log.length > 0 ? `\n\nlog of the run:\n${log.map((line) => `  ${line}`).join('\n')}` : '';
    super(`${what} was answered with ${status}: ${body.trim().slice(0, 2_000)}${printed}`);
  }
}
