/** What the strict platform is told, and what it tells. Written from the specification; knows nothing of the client. */

/** One misbehavior: at `point`, from the `from`-th request there (1 is the first), for so many `times`. */
export interface Fault {
  point: string;
  what: string;
  from: number;
  times: number;
  status?: number;
  retryAfter?: string;
  message?: string;
  ms?: number;
  /** How often it was applied. */
  fired?: number;
}

export interface StoredFile {
  bytes: Buffer;
  /** Milliseconds since 1970. */
  modified: number;
  etag: string;
}

export interface Upload {
  id: string;
  path: string;
  region: string;
  count: number;
  parts: Map<number, { etag: string; bytes: Buffer }>;
  isDone: boolean;
}

export type Link =
  | { kind: 'part'; upload: string; number: number }
  | { kind: 'object'; region: string; path: string }
  | { kind: 'zip'; build: string };

export interface Build {
  id: string;
  app: string;
  status: string;
  /** What it will be, one word for each look, once the archive is there. The last one stays. */
  coming: string[];
  zip: Buffer | undefined;
  log: string[];
  initError?: string;
  createdAt: string;
}

export interface App {
  name: string;
  fields: Record<string, unknown>;
}

export interface WorldFile {
  path: string;
  bytes: Buffer;
  modified: number;
  etag: 'md5' | 'parts';
  /** One byte was damaged on the storage's disk: the ETag is still that of the right bytes. */
  isRotten?: boolean;
}

/** The state that a world begins with. Everything may be left out. */
export interface World {
  project?: string;
  token?: string;
  /** Other tokens of the same user. */
  otherTokens?: string[];
  regions?: Record<string, WorldFile[]>;
  /** How folders are named in listings, and what a listing of a folder that is not there is. */
  style?: { slash?: boolean; missing?: 'empty' | '404' };
  apps?: App[];
  builds?: Build[];
  /** What builds of the next deploys will do. */
  nextBuild?: { coming: string[]; log: string[]; initError?: string };
  runs?: Record<string, unknown>[];
  /** `offset-ignored`, `token-forever`, `no-total`, `invented` (each page has new runs, without end). */
  runsLie?: string;
  grants?: Record<string, string[]>;
  grantForm?: 'text' | 'projectId' | 'nested' | 'odd' | 'role' | 'opaque';
  secrets?: Record<string, string>;
  logs?: Record<string, unknown>[];
  /** `repeats` (each page names itself as the next one), `token-forever` (empty pages follow the last). */
  logsLie?: string;
  invocation?: { status: number; body: unknown };
}

/** One request as it was seen. */
export interface Seen {
  n: number;
  /** Which request of its kind. */
  nth: number;
  point: string;
  method: string;
  path: string;
  at: number;
  /** Which of the tokens it came with, 0 for the first; undefined for none. */
  by?: number;
  fault?: string;
  status?: number;
  work?: boolean;
}

export interface Request {
  point: string;
  method: string;
  params: Record<string, string>;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  json: unknown;
}

export interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  bytes?: Buffer;
  headers?: Record<string, string>;
}
