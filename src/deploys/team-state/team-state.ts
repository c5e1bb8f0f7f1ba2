import { readdir, readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type Fix, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { makePrivateFolder } from '../../kernel/disk/index.ts';
import { FailedError, GantryError, systemCode, throwUnexpected, UnavailableError } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { contextUntil, noStep, timeoutSignal } from '../../platform/waiting/index.ts';
import type { CopyTarget, FoundFile } from '../../storage/copy/index.ts';
import { formatRemotePath, toRemotePath } from '../../storage/transfer/remote-path.ts';
import type { ListedEntry, VolumePath } from '../../storage/volumes/index.ts';
import { isDocument, Outbox } from './outbox.ts';

/** A listing is asked for again once it is this old: others may have deployed while this command waited. */
const listingMs = 10_000;
/** Anybody who can write to the volume can put a file there. */
const maxDocumentBytes = 8 * 2 ** 20;

interface Sharing {
  /** What is shared: `lastWork` is done once for each. */
  key: string;
  /** What is done before anything is sent, in the background. */
  firstWork?: () => Promise<void>;
  /** When the command has ended, before the rest is sent. */
  lastWork?: (context: Context) => Promise<void>;
}

/** What a command needs is listed once, and fetched if this machine has not seen it. A failure is a warning. */
export class TeamState {
  readonly #root: VolumePath;
  readonly #silentAt: Record<Half, number> = { read: Number.NEGATIVE_INFINITY, write: Number.NEGATIVE_INFINITY };
  /** Copies of documents that are on the volume. */
  readonly #copies: string;
  /** What is sent by {@link share}, at the latest by the next command. */
  readonly outbox: Outbox;
  readonly #texts = new Map<string, string>();
  readonly #read = new Map<string, { at: number; entries: Promise<ListedEntry[] | undefined> }>();
  readonly #lastWork = new Map<string, Sharing['lastWork']>();
  #hasFailed = false;
  #sending: Promise<void> | undefined;

  constructor({ settings, project }: Context, place: string) {
    const { volume, path } = toRemotePath(place);
    const { region } = settings.teamState;
    this.#root = { volume, path: path.replace(/\/$/, ''), region };
    const key = stateKey(platformOf(settings), project, region, this.place);
    this.#copies = join(settings.folders.cache, 'team-state', key);
    this.outbox = new Outbox(join(settings.folders.state, 'team-state', key));
  }

  /** Whether something of it could not be read: others may know more than this command. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** What is read from now on is asked of the volume. */
  lookAgain(): void {
    this.#read.clear();
  }

  get place(): string {
    return formatRemotePath(this.#root);
  }

  folderOf(kind: 'history' | 'archives', app: string): string {
    return `${kind}/${folderName(app)}`;
  }

  /** The files of a folder; none if the volume cannot be read, after a warning. */
  async list(context: Context, folder: string): Promise<ListedEntry[]> {
    return (await this.#tryList(context, folder)) ?? [];
  }

  async #tryList(context: Context, folder: string): Promise<ListedEntry[] | undefined> {
    const earlier = this.#read.get(folder);
    if (earlier && context.elapsed() - earlier.at < listingMs) return earlier.entries;
    const entries = this.#listNow(context, folder);
    this.#read.set(folder, { at: context.elapsed(), entries });
    return entries;
  }

  /** The documents of a folder that are wanted by their name, and how many could not be read. */
  async read(context: Context, folder: string, isWanted: (name: string) => boolean) {
    const entries = await this.#tryList(context, folder);
    const copies = join(this.#copies, folder);
    const copied = new Set(await readdir(copies).catch((): string[] => []));
    // What the volume showed before is still true while it cannot be read.
    const listed = entries?.filter(({ isFolder, name }) => !isFolder && isDocument(name)) ?? [];
    const names = (entries ? listed.map(({ name }) => name) : [...copied]).filter(isWanted);
    const isSmall = ({ bytes }: ListedEntry) => bytes <= maxDocumentBytes;
    const unseen = listed.filter((entry) => isWanted(entry.name) && !copied.has(entry.name) && isSmall(entry));
    const isComplete = await this.#copyHere(context, unseen, copies);
    // What the volume no longer has is not kept either.
    const gone = entries ? [...copied].filter((name) => !listed.some((entry) => entry.name === name)) : [];
    for (const name of gone) await rm(join(copies, name), { force: true });
    const texts = await Promise.all(names.map((name) => this.#textOf(join(copies, name))));
    const documents = names.flatMap((name, at) => (texts[at] === undefined ? [] : [{ name, text: texts[at] }]));
    return { documents, unreadable: isComplete ? names.length - documents.length : 0 };
  }

  /** The text of a document, which never changes. Undefined if it cannot be read. */
  async #textOf(copy: string): Promise<string | undefined> {
    const text = this.#texts.get(copy) ?? (await readFile(copy, 'utf8').catch(() => undefined));
    if (text !== undefined) this.#texts.set(copy, text);
    return text;
  }

  /** Downloads a file. Returns false if it cannot be had. */
  async download(context: Context, path: string, folder: string): Promise<boolean> {
    const at = path.lastIndexOf('/');
    const entry = (await this.list(context, path.slice(0, at))).find(({ name }) => name === path.slice(at + 1));
    return entry !== undefined && (await this.#copyHere(context, [entry], folder));
  }

  /** Starts to send what is there, without waiting for it; the rest is sent when the command has ended. */
  share(context: Context, { key, firstWork, lastWork }: Sharing): void {
    if (this.#lastWork.size === 0) context.atEnd.push((atEnd) => this.#shareRest(atEnd));
    this.#lastWork.set(key, lastWork);
    const send = async () => {
      await firstWork?.();
      await this.#send(context);
    };
    const later = (error: Error) => context.trace(`team state: ${error.message}`);
    this.#sending = (this.#sending ?? Promise.resolve()).then(send).catch(later);
  }

  /** Sends what earlier commands could not, if there is any. */
  shareLeft(context: Context): void {
    this.share(context, { key: '' });
  }

  /** Sends a document ahead of all others, and waits for it. What cannot be sent is sent later. */
  async sendFirst(context: Context, first: string): Promise<void> {
    await this.#send(context, first).catch((error: Error) => context.trace(`team state: ${error.message}`));
  }

  /** Removes files, or a folder whose path ends in a slash. Best effort: others may have done it. */
  async remove(context: Context, paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    try {
      for (const path of paths) if (isDocument(path)) await this.outbox.drop(path);
      await this.#inTime(context, 'write', 0, async (quiet) => {
        const { deletePaths } = await import('../../storage/volumes/index.ts');
        const targets = paths.map((path) => this.#at(path));
        for (const { error } of await deletePaths(quiet, targets)) if (error) throw error;
      });
    } catch (error) {
      throwUnexpected(error);
      context.trace(`cannot remove old team state: ${error.message}`);
    }
  }

  async #listNow(context: Context, folder: string): Promise<ListedEntry[] | undefined> {
    if (this.#hasFailed) return undefined;
    const step = context.progress.step('Reading the team state');
    const listing = this.#inTime(context, 'read', 0, async (quiet) => {
      const { listIfExists } = await import('../../storage/volumes/index.ts');
      return listIfExists(quiet, this.#at(`${folder}/`));
    });
    return this.#orWarn(context, listing).finally(step.clear);
  }

  async #copyHere(context: Context, entries: readonly ListedEntry[], to: string): Promise<boolean> {
    if (entries.length === 0) return true;
    return (await this.#orWarn(context, this.#download(context, entries, to))) ?? false;
  }

  async #orWarn<T>(context: Context, reading: Promise<T>): Promise<T | undefined> {
    return reading.catch((error: unknown) => {
      context.signal.throwIfAborted();
      const why = 'what other machines have deployed and found is not known';
      if (!this.#hasFailed) this.#warn(context, 'read', error, { why, fix: gantryCommand`ls ${this.place}` });
      this.#hasFailed = true;
      return undefined;
    });
  }

  /** Throws what is no error of the volume. */
  #warn({ progress }: Context, verb: string, error: unknown, more: { why: string; fix: Fix }): void {
    if (!(error instanceof GantryError) && systemCode(error) === '') throw error;
    const message = `cannot ${verb} the team state at ${this.place}: ${(error as Error).message}`;
    progress.warn({ severity: 'warning', message, ...more });
  }

  async #shareRest(context: Context): Promise<void> {
    const step = context.progress.step('Sharing with the team');
    try {
      await this.#sending;
      for (const work of this.#lastWork.values()) await work?.(context);
      await this.#send(context);
    } catch (error) {
      if (context.signal.aborted) return;
      const rest = this.#hasFailed ? '' : '; what they did is known here';
      this.#warn(context, 'write', error, {
        why: `other machines do not know what this command did${rest}`,
        fix: sentence`the next command of this machine that may change something tells them: ${gantryCommand`deploy --if-changed`}`,
      });
    } finally {
      step.clear();
    }
  }

  /** Sends all that is in the outbox, or one of it. Throws if some of it is still there. */
  async #send(context: Context, only?: string): Promise<void> {
    const files = (await this.outbox.list(context.now())).filter(({ path }) => path === (only ?? path));
    if (files.length === 0) return;
    const failed = await this.#copy(context, 'write', files, { kind: 'remote', at: this.#at('') });
    for (const { path } of files) if (!failed.has(path)) await this.outbox.sent(path, this.#copies);
    // Another process may have sent it.
    const left = (await this.outbox.list(context.now())).find(({ path }) => failed.has(path));
    if (left) throw new FailedError(failed.get(left.path) ?? '');
  }

  /** Downloads files into a folder of this machine. Throws the first failure. */
  async #download(context: Context, entries: readonly ListedEntry[], path: string): Promise<boolean> {
    makePrivateFolder(path);
    const files = entries.map(({ name, path: from, bytes, modified }): FoundFile => {
      return { path: name, from: { ...this.#root, path: from }, bytes, modified };
    });
    const [failed] = (await this.#copy(context, 'read', files, { kind: 'local', path })).values();
    if (failed !== undefined) throw new FailedError(failed);
    return true;
  }

  #at(path: string): VolumePath {
    return { ...this.#root, path: `${this.#root.path}/${path}` };
  }

  /** Copies files. Returns why each of them that failed did. */
  #copy(context: Context, half: Half, files: readonly FoundFile[], folder: CopyTarget['folder']) {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return this.#inTime(context, half, bytes, async (quiet) => {
      const { copyFiles, usualCopy } = await import('../../storage/copy/index.ts');
      const find = async function* () {
        yield* files;
      };
      const plan = { from: [], to: '', find, target: { folder, name: undefined }, isSingleFile: false };
      // Nothing can be resumed: what is missing is copied the next time.
      const { failed } = await copyFiles(quiet, plan, { ...usualCopy, resume: false, keepJournal: false });
      return new Map(failed.map(({ path, reason }) => [path, reason]));
    });
  }

  /** Works with the volume. Shows nothing, and is bounded: UnavailableError without a reply in time. */
  async #inTime<T>(context: Context, half: Half, bytes: number, work: (quiet: Context) => Promise<T>): Promise<T> {
    const { elapsed, end, signal } = context;
    // One that cannot be read is not written to either: to write, one reads.
    const silentAt = half === 'read' ? this.#silentAt.read : Math.max(this.#silentAt.read, this.#silentAt.write);
    if (elapsed() - silentAt < restMs) throw noReply();
    const leftMs = end.at === undefined ? Number.POSITIVE_INFINITY : end.at - elapsed();
    const waitMs = Math.min(maxWaitMs + bytes * msPerByte, Math.max(minWaitMs, leftMs * share));
    const quiet = quietly(context, timeoutSignal(waitMs, noReply, signal));
    try {
      return await work(quiet);
    } finally {
      if (quiet.signal.aborted && !signal.aborted) this.#silentAt[half] = elapsed();
    }
  }
}

/** The team state that the settings name. It is made once in a command. Undefined if the settings name none. */
export function teamStateOf(context: Context): TeamState | undefined {
  const { settings } = context;
  const place = settings.teamState.value;
  if (place === undefined || place === 'off') return undefined;
  return onceFor(states, settings, () => new TeamState(context, place));
}

const states = new WeakMap<Settings, TeamState>();

/** How long a command waits for the volume at most, and how much longer for each byte that it sends or receives. */
const maxWaitMs = 10_000;
const msPerByte = 1_000 / 2 ** 20;
/** The volume's share of what `--timeout` has left, and what it gets in any case. */
const share = 0.25;
const minWaitMs = 1_000;
/** A volume that did not reply in time is not waited for again so soon. */
const restMs = 60_000;

/** The halves of what is done with a volume: one may fail while the other works. */
type Half = 'read' | 'write';

const noReply = () => new UnavailableError('no reply in time');

/** A context that shows nothing, and whose requests and pauses end with a signal. */
function quietly(context: Context, signal: AbortSignal): Context {
  const apiWithSignal: Context['apiWithSignal'] = (until, _, send) => context.apiWithSignal(until, () => {}, send);
  const progress = { ...context.progress, step: () => noStep, note() {}, warn() {}, event() {} };
  const quiet = { apiWithSignal, api: apiWithSignal(signal), onRetry: () => {}, interruption: {}, progress };
  return contextUntil(context, signal, quiet);
}

/** An app's name as the name of a folder. */
function folderName(app: string): string {
  const name = toPathSegment(app, 'app');
  return posix.basename(name) === name && !name.startsWith('.') ? name : `_${name}`;
}
