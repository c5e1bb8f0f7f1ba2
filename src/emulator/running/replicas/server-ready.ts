import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { after, pause } from '../../../clock.ts';
import type { AppSettings } from '../../model/apps/settings.ts';
import { type ReplicaOptions, StartTimeoutError } from './replica.ts';

interface Start {
  settings: AppSettings;
  port: number;
  limit: ReplicaOptions['limit'];
  signal: AbortSignal;
  isReady?: (port: number) => Promise<boolean>;
  /** Where the app listens, as far as that is known. */
  listensOn?: () => Promise<number[]>;
  /** Whether it is another program that answers, as far as that is known. */
  isTaken?: () => Promise<boolean>;
}

/**
 * Resolves when a server answers its ready or health check, or without one, when `isReady`. Rejects with a
 * `StartTimeoutError` if that takes too long.
 */
export async function untilReady(start: Start): Promise<void> {
  const { settings, port, limit, signal, isReady = isListening, listensOn, isTaken } = start;
  const { readycheckEndpoint, healthcheckEndpoint, deploymentInitializationTimeout } = settings;
  const path = readycheckEndpoint || healthcheckEndpoint;
  let isLate = false;
  const stopLimit = limit(deploymentInitializationTimeout * 1000, () => {
    isLate = true;
  });
  let wasTaken = false;
  let status: number | undefined;
  let answeredMs = answeredPollMs;
  try {
    while (!isLate) {
      if (signal.aborted) return;
      if (path) status = await healthStatus(port, path);
      const isAnswered = path ? isHealthy(status) : await isReady(port);
      wasTaken = isAnswered && (await isTaken?.()) === true;
      if (isAnswered && !wasTaken) return;
      const hasAnswered = isAnswered || status !== undefined;
      await pause(hasAnswered ? answeredMs : pollMs);
      if (hasAnswered) answeredMs = Math.min(answeredMs * 1.2, maxAnsweredPollMs);
    }
  } finally {
    stopLimit();
  }
  const unanswered = path
    ? `GET ${path} on port ${settings.port} did not succeed (${status === undefined ? 'no answer' : `HTTP ${status}`})`
    : `nothing listens on port ${settings.port}`;
  const missing = wasTaken ? `another program listens on port ${port}` : unanswered;
  const others = status === undefined || wasTaken ? ((await listensOn?.()) ?? []) : [];
  const found = others.length > 0 ? `; the app listens on port ${others.join(', ')}` : '';
  throw new StartTimeoutError(`it was not ready within ${deploymentInitializationTimeout} seconds: ${missing}${found}`);
}

const pollMs = 10;
/** A server that answers, but is not ready, may log each request: the pause grows. */
const answeredPollMs = 100;
const maxAnsweredPollMs = 2_000;

/** As Kubernetes sees it: a framework may redirect `/health` to `/health/`. */
function isHealthy(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 400;
}

/** Undefined without an answer. */
function healthStatus(port: number, path: string): Promise<number | undefined> {
  return new Promise((done) => {
    const probe = request({ host: '127.0.0.1', port, path, agent: false, timeout: 2_000 }, ({ statusCode }) => {
      done(statusCode);
      probe.destroy();
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => done(undefined));
    // An upgrade response closes the connection without an error event.
    probe.on('close', () => done(undefined));
    probe.end();
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** A container's engine accepts connections before the server in it listens, and closes them. */
export function isServing(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const stopTimer = after(openMs, () => socket.destroy());
    for (const event of ['end', 'error']) {
      socket.once(event, () => {
        stopTimer();
        socket.destroy();
        done(false);
      });
    }
    socket.once('close', () => done(true)).resume();
  });
}

/** How long a connection must stay open to count. */
const openMs = 300;

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
