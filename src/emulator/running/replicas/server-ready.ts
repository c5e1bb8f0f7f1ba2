import { readdir, readlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { every, pause } from '../../../kernel/clock.ts';
import { systemCode } from '../../../kernel/errors.ts';
import { addressOf, listSockets, portOf } from '../../http/owner-check.ts';
import type { AppSettings } from '../../model/apps/settings.ts';
import type { BuildRecord } from '../../model/state/records.ts';
import { processGroup, processTree } from '../processes/usage.ts';
import { type ReplicaOptions, StartTimeoutError } from './replica.ts';

interface ServerStart {
  settings: AppSettings;
  port: number;
  limit: ReplicaOptions['limit'];
  signal: AbortSignal;
  /** Whether what answers is the replica, and it runs, as far as that is known. */
  isOwn: () => Promise<boolean>;
  /** Where the app listens, as far as that is known. */
  listensOn: () => Promise<number[]>;
  /** Adds a line to what the app prints. */
  tell: (text: string) => void;
}

/**
 * Resolves when the replica's ready or health check succeeds, or without one, when its server answers a request, whatever
 * it answers. That a port is open says nothing: a server opens it before it loads the app, and a container's engine before
 * the server. Rejects with a `StartTimeoutError` if that takes too long.
 */
export async function untilReady(start: ServerStart): Promise<void> {
  const { settings, port, limit, signal } = start;
  const { readycheckEndpoint, healthcheckEndpoint, deploymentInitializationTimeout } = settings;
  const check = readycheckEndpoint || healthcheckEndpoint;
  const late = new AbortController();
  const stopLimit = limit(deploymentInitializationTimeout * 1000, () => late.abort());
  const stopLooking = tellElsewhere(start);
  const ended = AbortSignal.any([signal, late.signal]);
  const last = await lastAnswer(start, check, ended).finally(stopLimit).finally(stopLooking);
  if (last === 'ready' || signal.aborted) return;
  const { answer, wasTaken } = last;
  const missing = wasTaken ? `another program listens on port ${port}` : await whyUnanswered(start, check, answer);
  const others = answer === undefined || wasTaken ? await start.listensOn() : [];
  const otherPorts = others.length > 0 ? `; the app listens on port ${others.join(', ')}` : '';
  throw new StartTimeoutError(
    `it was not ready within ${deploymentInitializationTimeout} seconds: ${missing}${otherPorts}`,
  );
}

/** Tells once where the app listens instead: nothing else may show that before the time limit. Returns what stops it. */
function tellElsewhere({ settings, port, listensOn, tell }: ServerStart): () => void {
  const stop = every(elsewhereMs, async () => {
    const ports = await listensOn();
    if (ports.length === 0) return;
    stop();
    if (!ports.includes(port))
      tell(`nothing listens on port ${settings.port} yet; the app listens on port ${ports.join(', ')}`);
  });
  return stop;
}

const elsewhereMs = 3_000;

/** Asks until the replica is ready. Otherwise, what answered last, and whether that was another program. */
async function lastAnswer({ port, isOwn }: ServerStart, check: string, ended: AbortSignal) {
  let last: { answer: ProbeAnswer; wasTaken: boolean } = { answer: undefined, wasTaken: false };
  let answeredMs = answeredPollMs;
  while (!ended.aborted) {
    const answer = await ask(port, check || '/', check ? checkMs : silentMs, ended);
    if (ended.aborted) break;
    const isAnswered = check ? isHealthy(answer) : answer !== undefined;
    if (isAnswered && (await isOwn())) return 'ready';
    last = { answer, wasTaken: isAnswered };
    await pause(answer === undefined ? pollMs : answeredMs);
    if (answer !== undefined) answeredMs = Math.min(answeredMs * 1.2, maxAnsweredPollMs);
  }
  return last;
}

async function whyUnanswered({ settings, port }: ServerStart, check: string, answer: ProbeAnswer): Promise<string> {
  const answered = typeof answer === 'number' ? `HTTP ${answer}` : 'no answer';
  if (check && answer !== undefined) return `GET ${check} on port ${settings.port} did not succeed (${answered})`;
  if (await isListening(port)) return `the server on port ${settings.port} does not answer`;
  return `nothing listens on port ${settings.port}`;
}

const pollMs = 10;
/** A server that answers, but is not ready, may log each request: the pause grows. */
const answeredPollMs = 100;
const maxAnsweredPollMs = 2_000;
const checkMs = 2_000;
/** A server that has not answered for so long, and still runs, is one that says nothing: others load the app meanwhile. */
const silentMs = 10_000;

/** The status of a response; `silent` if the connection stayed open without one; undefined without a connection. */
type ProbeAnswer = number | 'silent' | undefined;

/** As Kubernetes sees it: a framework may redirect `/health` to `/health/`. */
function isHealthy(answer: ProbeAnswer): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 400;
}

function ask(port: number, path: string, timeout: number, signal: AbortSignal): Promise<ProbeAnswer> {
  return new Promise((done) => {
    const answered = ({ statusCode }: IncomingMessage) => {
      done(statusCode);
      probe.destroy();
    };
    const probe = request({ host: '127.0.0.1', port, path, agent: false, timeout, signal }, answered);
    probe.on('upgrade', answered);
    probe.on('timeout', () => {
      done('silent');
      probe.destroy();
    });
    probe.on('error', () => done(undefined));
    probe.end();
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.on('connect', () => socket.destroy());
  });
}

export async function isFree(port: number): Promise<boolean> {
  return !(await isListening(port)) && (await tryListen(port, '0.0.0.0')) !== undefined;
}

export async function freePort(): Promise<number> {
  return (await tryListen(0, '127.0.0.1')) ?? 0;
}

/** Listens for a moment. Returns the port; undefined if it is in use. */
function tryListen(port: number, host: string): Promise<number | undefined> {
  return new Promise((done) => {
    const server = createServer().once('error', () => done(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

/** The configured port in an entrypoint. */
export function portPattern({ port }: AppSettings): RegExp {
  return new RegExp(`(?<!\\d)${port}(?!\\d)`, 'g');
}

/** An app's own server has one port of this machine, so it has one replica. Each container has ports of its own. */
export function sharesPort({ settings }: Pick<BuildRecord, 'settings'>): boolean {
  return settings.runtime === 'custom' && !settings.dockerfilePath;
}

/** A non-loopback address on which a local port listens; undefined if there is none. Works on Linux only. */
export async function findExposedAddress(port: number): Promise<string | undefined> {
  const listeners = await listListeners();
  return listeners.find((each) => each.port === port && !/^127\.|^::1$/.test(each.address))?.address;
}

/** The ports on which a process and its children listen. Works on Linux only; elsewhere none is known. */
export async function findListeningPorts(pid: number): Promise<number[]> {
  try {
    const sockets = new Set((await Promise.all(processTree(pid).map(socketsOf))).flat());
    const listeners = await listListeners();
    return [...new Set(listeners.flatMap(({ inode, port }) => (sockets.has(inode) ? [port] : [])))].sort(
      (a, b) => a - b,
    );
  } catch {
    return [];
  }
}

/** Whether another program than a process, its children and its group listens on a port. Works on Linux only. */
export async function isOfOther(port: number, pid: number): Promise<boolean> {
  const inodes = (await listListeners()).filter((each) => each.port === port).map(({ inode }) => inode);
  if (inodes.length === 0) return false;
  try {
    for (const processes of [processTree, processGroup]) {
      const sockets = (await Promise.all(processes(pid).map(socketsOf))).flat();
      if (inodes.some((inode) => sockets.includes(inode))) return false;
    }
    return true;
  } catch (error) {
    // One of them has ended: what listens is not known to be its own.
    return systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH';
  }
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

async function listListeners() {
  const listeners = (await listSockets()).filter(({ isListening }) => isListening);
  return listeners.map(({ local, inode }) => ({ address: addressOf(local), port: portOf(local), inode }));
}
