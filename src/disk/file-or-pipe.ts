import { constants, createReadStream, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { readFlags } from './regular-file.ts';

const writing = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);
const retryMs = 100;

/**
 * The content of a path that the user named, whatever it leads to. A FIFO is waited for until somebody writes to it or
 * the signal aborts. Throws what the system says, or the reason of the signal.
 */
export async function readFileOrPipe(path: string, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readFileOrPipeChunks(path, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The same, piece by piece. */
export async function* readFileOrPipeChunks(
  path: string,
  signal: AbortSignal,
  pieceBytes?: number,
): AsyncGenerator<Buffer> {
  for (let isEmpty = true; isEmpty; ) {
    signal.throwIfAborted();
    const isFifo = await leadsToFifo(path);
    try {
      const source = isFifo ? await fifoSource(path) : createReadStream(path, { highWaterMark: pieceBytes });
      for await (const piece of addAbortSignal(signal, source)) {
        isEmpty = false;
        yield piece;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    if (!isFifo || isEndReal(path)) return;
    if (isEmpty) await pause(signal);
  }
}

/** What {@link openPipeOrDevice} opens. */
export interface NamedOutput {
  /** Resolves when the system has taken all of it. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a pipe or a device that the user named, to be written to. A FIFO is waited for until somebody reads it or the
 * signal aborts. Throws what the system says, or the reason of the signal; so does `write`.
 */
export async function openPipeOrDevice(path: string, signal: AbortSignal): Promise<NamedOutput> {
  signal.throwIfAborted();
  if (await leadsToFifo(path)) return fifoOutput(await fifoTarget(path, signal), signal);
  const device = await open(path, 'w');
  return {
    write: async (bytes) => {
      signal.throwIfAborted();
      await device.writeFile(bytes);
    },
    close: () => device.close(),
  };
}

async function leadsToFifo(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFIFO() ?? false;
}

/**
 * Opening a FIFO the usual way blocks a thread until its other end is opened too, and a process cannot exit while one
 * of its threads is blocked. A socket waits for a pipe without a thread.
 */
async function fifoSource(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  return new Socket({ fd: openSync(path, readFlags), readable: true, writable: false });
}

/**
 * Whether an end without any content is one that a writer made. Linux reports no end before there was a writer, and a
 * pipe that somebody has opened already has had one. Elsewhere nobody may have come yet.
 */
function isEndReal(path: string): boolean {
  return process.platform === 'linux' || /^\/dev\/(stdin$|fd\/)/.test(path);
}

/** Opening fails with ENXIO as long as nobody reads. */
async function fifoTarget(path: string, signal: AbortSignal): Promise<Socket> {
  const { Socket } = await import('node:net');
  for (;;) {
    signal.throwIfAborted();
    try {
      return new Socket({ fd: openSync(path, writing), readable: false, writable: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await pause(signal);
  }
}

function fifoOutput(pipe: Socket, signal: AbortSignal): NamedOutput {
  // Each write tells of its own failure.
  addAbortSignal(signal, pipe).on('error', () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        pipe.write(bytes, (error) => (error ? reject(signal.aborted ? signal.reason : error) : resolve()));
      }),
    close: () =>
      new Promise((resolve) => {
        if (pipe.closed) return resolve();
        pipe.once('close', () => resolve()).destroy();
      }),
  };
}

async function pause(signal: AbortSignal): Promise<void> {
  await setTimeout(retryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}
