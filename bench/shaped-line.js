// A line between the server of a bench and its clients: how fast a connection is, how fast all of them are together, and
// how long a byte is under way. Sockets on loopback have neither rate nor delay, so bytes are read and written late.

/** @import { Socket } from 'node:net' */

/**
 * @typedef {object} LineShape
 * @property {number} [connectionRate] bytes per second of a connection, each way
 * @property {number} [totalRate] bytes per second of all connections together, each way
 * @property {number} [delayMs] each way
 */

/** A lane that was idle does not make up for more than this, in ms: timers are late by less. */
const burstMs = 50;
/** Shorter pauses are not worth a timer, in ms. */
const graceMs = 2;

/** One direction, of a connection or of all: it says when bytes have passed that are ready now. */
class Lane {
  #freeAt = 0;

  /** @param {number} bytesPerSecond */
  constructor(bytesPerSecond = Number.POSITIVE_INFINITY) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** @param {number} bytes */
  pass(bytes) {
    this.#freeAt = Math.max(this.#freeAt, performance.now() - burstMs) + (bytes / this.bytesPerSecond) * 1000;
    return this.#freeAt;
  }
}

/** Counts what passed, and when the first and the last byte did. */
export class Line {
  #up;
  #down;
  #seen = emptyStats();

  /** @param {LineShape} shape */
  constructor(shape) {
    this.shape = shape;
    this.#up = new Lane(shape.totalRate);
    this.#down = new Lane(shape.totalRate);
  }

  /** @param {Socket} socket a new connection, on which nothing was read yet */
  connect(socket) {
    const lanes = { up: new Lane(this.shape.connectionRate), down: new Lane(this.shape.connectionRate) };
    this.#seen.open++;
    this.#seen.mostOpen = Math.max(this.#seen.mostOpen, this.#seen.open);
    socket.on('close', () => this.#seen.open--);
    return new ShapedConnection(socket, this.shape.delayMs ?? 0, {
      up: (bytes) => this.#pass(bytes, this.#up, lanes.up),
      down: (bytes) => this.#pass(bytes, this.#down, lanes.down),
    });
  }

  /** Statistics of the time since the last call. */
  takeStats() {
    const seen = this.#seen;
    this.#seen = { ...emptyStats(), open: seen.open, mostOpen: seen.open };
    return seen;
  }

  /**
   * @param {number} bytes
   * @param {Lane[]} lanes
   */
  #pass(bytes, ...lanes) {
    const passedAt = Math.max(...lanes.map((lane) => lane.pass(bytes)), performance.now());
    // The head of a request is no content.
    if (bytes > maxHeadBytes) {
      this.#seen.bytes += bytes;
      this.#seen.firstAt ||= performance.now();
      this.#seen.lastAt = Math.max(this.#seen.lastAt, passedAt);
    }
    return passedAt;
  }
}

const maxHeadBytes = 8192;

/** @typedef {{ open: number, mostOpen: number, bytes: number, firstAt: number, lastAt: number }} LineStats */

/** @returns {LineStats} */
function emptyStats() {
  return { open: 0, mostOpen: 0, bytes: 0, firstAt: 0, lastAt: 0 };
}

/** @typedef {{ up: (bytes: number) => number, down: (bytes: number) => number }} Lanes */

export class ShapedConnection {
  #readableAt;

  /**
   * @param {Socket} socket
   * @param {number} delayMs
   * @param {Lanes} lanes
   */
  constructor(socket, delayMs, lanes) {
    this.socket = socket;
    this.delayMs = delayMs;
    this.lanes = lanes;
    // The handshake takes a round trip, before which a client sends nothing.
    this.#readableAt = performance.now() + 2 * delayMs;
    this.#readLater();
    socket.on('data', (chunk) => {
      this.#readableAt = lanes.up(chunk.length);
      this.#readLater();
    });
  }

  #readLater() {
    const pauseMs = this.#readableAt - performance.now();
    if (pauseMs <= graceMs) return;
    this.socket.pause();
    setTimeout(() => this.socket.resume(), pauseMs);
  }

  /**
   * Calls back when a client would see the first byte of a reply: its request came a delay late, as the reply does.
   * @param {() => void} reply
   */
  replyLater(reply) {
    const waitMs = this.#readableAt - performance.now() + 2 * this.delayMs;
    if (waitMs <= 0 || this.delayMs === 0) reply();
    else setTimeout(reply, waitMs);
  }

  /** As `giveZeros` takes it. */
  get downward() {
    return {
      pieceBytes: 2 ** 16,
      pauseMs: (/** @type {number} */ bytes) => {
        const pauseMs = this.lanes.down(bytes) - performance.now();
        return pauseMs > graceMs ? pauseMs : 0;
      },
    };
  }
}
