import type { Fault, World } from '../support/strict-platform/types.ts';

/** Bytes that can be made again from two numbers. */
export interface Content {
  size: number;
  salt: number;
}

/** Something below the folder that a command works in. */
export interface LocalEntry {
  path: string;
  content?: Content;
  text?: string;
  /** Milliseconds since 1970. */
  modified?: number;
  folder?: true;
  /** A symbolic link to here. */
  link?: string;
}

export interface RemoteEntry {
  path: string;
  content: Content;
  modified: number;
  etag: 'md5' | 'parts';
  /** The storage has damaged it: the ETag is that of the right content. */
  isRotten?: boolean;
}

/** When something happens: at a moment of the conversation, or after so many milliseconds. */
export interface Moment {
  point?: string;
  nth?: number;
  phase?: 'arrived' | 'answered';
  delayMs: number;
}

export interface Command {
  args: string[];
  stdin?: Content;
  /** Where stdout goes: a pipe if left out. */
  stdout?: 'full';
  /** `ulimit -f`, in KiB. */
  fileLimit?: number;
  /** The target folder is on a disk of so many KiB. */
  signal?: { name: 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGHUP'; when: Moment };
  env?: Record<string, string>;
  /** Starts at this moment, or when the first command has ended; at once if left out. */
  start?: Moment;
}

/** What somebody else does meanwhile. */
export type Meddling = { when: Moment } & (
  | { do: 'write'; path: string; content: Content; modified?: number }
  | { do: 'append'; path: string; content: Content }
  | { do: 'remove'; path: string }
  | { do: 'replace-by-link'; path: string; link: string }
  | { do: 'store'; path: string; content: Content }
);

export interface Step {
  commands: Command[];
  faults: Fault[];
  meddling: Meddling[];
  /** Nothing goes wrong: everything has to be right afterwards. */
  isClean: boolean;
  /** What happens before this step, while nothing runs. */
  before?: Meddling[];
}

/** One file that is to be made from a source. */
export interface Target {
  path: string;
  /** What the source may have held: more than one where it changes meanwhile. The last one is what it holds at the end. */
  source: Content[];
}

/** What copies of files are to come to. */
export interface Copies {
  /** Where the targets are: paths on the volume, or below the work folder. */
  side: 'volume' | 'disk';
  targets: Target[];
  /** What a target of this name may keep: `--update` leaves a file of the same size that is not older. */
  keeps: 'nothing' | 'same-size' | 'anything';
  /** Paths that are deleted in the end. */
  deleted: string[];
  /** Whether the content is read back. */
  verified: boolean;
  /** Names that a target cannot have: the command fails, and says so. */
  impossible: string[];
}

export interface Plan {
  kind: string;
  local: LocalEntry[];
  /** Beside the work folder: never changed by anything. */
  outside: LocalEntry[];
  volume: RemoteEntry[];
  region: string;
  world: World;
  env: Record<string, string>;
  steps: Step[];
  /** The work folder is on a disk of so many KiB. */
  diskKiB?: number;
  copies?: Copies;
  /** What the rules of this kind need to know. */
  facts: Record<string, unknown>;
  /** Must not be seen anywhere. */
  secrets: string[];
}

export interface Ended {
  args: string[];
  code: number | null;
  signal: string | null;
  /** Which signal was sent by us, if it was in time. */
  sent?: string;
  stdout: Buffer;
  stderr: string;
  ms: number;
  isLate: boolean;
}

export interface DiskEntry {
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
  /** Of a file: a hash of its content; of a link: where it leads. */
  mark: string;
  mode: number;
}

export type Tree = Map<string, DiskEntry>;
/** Hash and size by path. */
export type VolumeState = Map<string, { mark: string; size: number }>;

export interface State {
  /** All folders of the sandbox, by `work/…`, `outside/…`, `home/…`, `config/…`, `tmp/…`. */
  disk: Tree;
  volume: VolumeState;
  grants: Map<string, string[]>;
  secrets: Record<string, string>;
  builds: Map<string, { status: string; app: string; zip: Buffer | undefined }>;
  calls: number;
  created: number;
}

export interface Outcome {
  before: State;
  after: State;
  ended: Ended[];
  /** What was misdone to it: kinds of faults that were applied, with their point. */
  fired: { point: string; what: string; times: number; status?: number }[];
  /** What the platform complained of. */
  violations: string[];
  /** Signatures of links that were given out. */
  signatures: string[];
  meddled: boolean;
  /** What `package` wrote, if it is there. */
  archive: Buffer | undefined;
  /** Requests in the order in which they came; `by` is the index of the command, where its token tells. */
  asked: { point: string; by?: number }[];
}

export type Say = (text: string) => void;
export type Rule = (plan: Plan, step: Step, outcome: Outcome, say: Say) => void;
