/** What the platform of apps is told, and what it tells. Written from the specification; knows nothing of the client. */

/** What an app does, which its archive says: `# behaves {"replicas":"crash"}` in main.py. */
export interface Behavior {
  /** How long its build takes, in ms. */
  buildMs?: number;
  /** How its build ends. */
  ends?: 'success' | 'build_failure' | 'init_timeout';
  /**
   * What becomes of its replicas. `renamed`: they die and come back under other names. `half`: the second one stops and
   * stays away. `unlisted`: they die before anybody lists them.
   */
  replicas?: 'well' | 'crash' | 'renamed' | 'half' | 'waiting' | 'unlisted' | 'restarts-once';
  /** How long its replicas answer calls after the next build went live, with failures, although nothing lists them. In ms. */
  lingersMs?: number;
  /** Calls of strangers while it serves; every `failing`-th one fails with this code. */
  calls?: { everyMs: number; failing?: number; code?: number };
}

/** In what this platform differs from the one that a client may have in mind. The specification allows all of it. */
export interface Quirks {
  /** Settings that a request leaves out. */
  defaults?: Record<string, string | number | boolean>;
  /** Builds have no `createdAt`. */
  hasNoTimes?: boolean;
  /** How late runs are listed, in ms. */
  runsLateMs?: number;
  /** Times of builds have no fractions of seconds. */
  wholeSeconds?: boolean;
  /** Listed files have no checksum. */
  hasNoChecksums?: boolean;
  /** They have a SHA-256, and no CRC-32. */
  hasSha256?: boolean;
  /** Of files, only the names are listed. */
  listsNamesOnly?: boolean;
  /** Checksums are hexadecimal text. */
  hasHexChecksums?: boolean;
  /** A second upload of a build is refused. */
  uploadsOnce?: boolean;
  /** Runs have a status besides their code. */
  hasStatuses?: boolean;
  /** Where the specification has numbers, text. */
  hasText?: boolean;
  /** What replicas show of their restarts, instead of how many there were. */
  restarts?: 'nothing' | 'start times';
  /** By what replicas show how late it is. */
  replicaTimes?: 'running time' | 'read time' | 'both';
  /** The list of runs does not say by which method an app was called. */
  hidesMethods?: boolean;
  /** Of runs. */
  pageSize?: number;
  /** How late get app shows which build serves, in ms. */
  lagsMs?: number;
  /** Of builds that are ready, the one that was created last serves, not the one that became ready last. */
  servesLastCreated?: boolean;
  /** The list of builds begins with the newest one. */
  listsNewestFirst?: boolean;
  /** The list of builds lacks the newest one. */
  hidesNewest?: boolean;
  /** Only every second reply of get app is late. */
  flickers?: boolean;
  /** How much faster replicas live and die. */
  pace?: number;
  /** How long ago it was as these answers show it, in ms. */
  lateMs?: Record<string, number>;
  /** Fields and words that answers have or lack. */
  alters?: (point: string, json: unknown) => unknown;
  /** What is answered with 404 or 403. */
  refuses?: Record<string, 403 | 404>;
}

export interface Build {
  id: string;
  app: string;
  createdAt: number;
  /** What was sent. */
  body: Record<string, unknown>;
  files: Map<string, Buffer>;
  behavior: Behavior;
  uploadedAt?: number;
  canceledAt?: number;
  /** What it came to. */
  ended?: string;
}

/** The time in which a build serves. */
export interface Service {
  build: Build;
  from: number;
  until: number;
}

export interface App {
  name: string;
  createdAt: number;
  settings: Record<string, unknown>;
  /** In the order in which they became ready. */
  services: Service[];
  builds: Build[];
  /** Replicas that calls woke go at this time. */
  awake: { from: number; until: number };
  /** What get app says instead of what is true. */
  status?: string;
}

export interface Call {
  point: string;
  /** Which of its kind. */
  nth: number;
}

export interface Request {
  params: Record<string, string>;
  query: URLSearchParams;
  body: Buffer;
}

/** What a cache keeps of an answer. */
export interface Copy {
  at: number;
  answer: Answer;
}

export interface Answer {
  status?: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

/** `cut`: the connection ends without an answer. */
export type Hook = (call: Call) => unknown;
