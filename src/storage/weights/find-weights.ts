import { type LockedWeights, weightsLockName } from '../../app/weights-lock.ts';
import { CommandLine, flagWords, gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import {
  bareTargetError,
  createPathFilter,
  isWebUrl,
  parseWebSource,
  resolveTarget,
  webFileName,
  webFileSize,
  withoutQuery,
} from '../copy/index.ts';
import { parseRemotePath, withTrailingSlash } from '../transfer/remote-path.ts';
import type { WebFile } from '../transfer/web-file.ts';
import { checkVolume, formatRemotePath, parseVolumePath, type VolumePath, whileConnected } from '../volumes/index.ts';
import { type HubAccess, readModel } from './hub.ts';
import { isSameEntry, readLock } from './lock-file.ts';
import { checkAgainstLock, type SourceFile } from './plan-files.ts';

export interface Selection {
  include: readonly string[];
  exclude: readonly string[];
}

export interface WantedWeights extends Selection {
  source: WeightsSource;
  target: VolumePath;
  /** The file gets this name in the target, which is a folder. */
  name?: string | undefined;
}

export interface TypedWeights extends Selection {
  source: string | undefined;
  target: string | undefined;
  sha256: string | undefined;
}

/** What the command line names; without a source all that `weights.lock` has, without a target where it has the source. */
export function wantedWeights(context: Context, typed: TypedWeights): WantedWeights[] {
  const { source: text, target, sha256, include, exclude } = typed;
  const locked = readLock(context);
  if (text !== undefined && target !== undefined) {
    const source = parseSource(text, sha256);
    if (!parseRemotePath(target)) throw bareTargetError(target);
    if (source.kind === 'file' && include.length + exclude.length > 0)
      throw new UsageError('--include and --exclude are for models of the hub (hf://)');
    return [{ source, target: parseVolumePath(target, context.settings), include, exclude }];
  }
  if (text === undefined && sha256 !== undefined) throw new UsageError('--sha256 needs a source');
  const name = text?.replace(/^(hf:.*?)@.*/, '$1');
  const ofName = name === undefined ? locked : locked.filter((each) => each.source === name);
  if (ofName.length === 0) throw text === undefined ? nothingLockedError() : missingTargetError(text);
  return ofName.map((each) => {
    const [only] = each.revision === undefined ? each.files : [];
    const source = parseSource(text ?? each.source, sha256 ?? only?.sha256);
    const at = parseVolumePath(each.target, context.settings);
    const selection = include.length + exclude.length > 0 ? { include, exclude } : selectionOf(each);
    return { source, target: { ...at, path: withTrailingSlash(at.path) }, name: only?.path, ...selection };
  });
}

export interface FoundWeights {
  at: VolumePath;
  files: SourceFile[];
  revision: string | undefined;
  /** The lock of the same source in the same folder. */
  locked: LockedWeights | undefined;
}

/** Asks the source for its files. A model without a revision is read at the one that `weights.lock` has. */
export function findWeights(context: Context, wanted: WantedWeights, access: () => HubAccess): Promise<FoundWeights> {
  const { source } = wanted;
  return source.kind === 'file' ? findFile(context, source, wanted) : findModel(context, source, wanted, access);
}

async function findModel(
  context: Context,
  source: ModelSource,
  wanted: WantedWeights,
  access: () => HubAccess,
): Promise<FoundWeights> {
  const hub = access();
  await checkVolume(context, wanted.target);
  const at = { ...wanted.target, path: withTrailingSlash(wanted.target.path) };
  const locked = lockedAt(context, source, at);
  const pinned = source.revision === undefined ? locked?.revision : undefined;
  if (pinned !== undefined) context.progress.note(pinnedText(pinned, source, at, wanted));
  const step = context.progress.step(`Reading the list of files of ${source.name}`);
  const revision = source.revision ?? pinned;
  const reading = whileConnected(context, (resources) => readModel(source.name, revision, hub, resources));
  const model = await reading.finally(() => step.clear());
  const filter = createPathFilter(wanted.include, wanted.exclude);
  const files = model.files.filter(({ path }) => filter.includes(path));
  if (files.length === 0)
    throw new NotFoundError(`none of the ${count(model.files.length, 'file')} of ${source.text} was selected`);
  const textOf = ({ include, exclude }: Selection) => String([include, '', exclude]);
  if (locked?.revision === model.commit && textOf(selectionOf(locked)) === textOf(wanted))
    checkAgainstLock(files, locked);
  return { at, files, revision: model.commit, locked };
}

/** How to leave the revision of the lock, with all that chooses these files. */
function pinnedText(revision: string, source: ModelSource, at: VolumePath, { include, exclude }: Selection): Sentence {
  const globs = [...include.map((glob) => ['--include', glob]), ...exclude.map((glob) => ['--exclude', glob])];
  const flags = globs.flatMap(([flag = '', glob = '']) => flagWords(flag, glob));
  const newest = new CommandLine(['gantry', 'cp', `${source.text}@main`, formatRemotePath(at), ...flags]);
  return sentence`${weightsLockName} has revision ${revision.slice(0, 12)}; for the newest: ${newest}`;
}

async function findFile(context: Context, source: FileSource, wanted: WantedWeights): Promise<FoundWeights> {
  const ownName = wanted.name ?? source.name;
  const named = { location: { kind: 'web', web: source.web }, isFolder: false, name: ownName } as const;
  const { folder, name } = await resolveTarget({ kind: 'remote', at: wanted.target }, [named], context);
  const at = folder.kind === 'remote' ? folder.at : wanted.target;
  const path = name ?? ownName;
  const locked = lockedAt(context, source, at);
  // The URL of a file that is there may have expired.
  const lockedFile = locked?.files.find((file) => file.path === path && file.sha256 === source.web.sum.hex);
  const { bytes } = lockedFile ?? (await whileConnected(context, (resources) => webFileSize(source.web, resources)));
  if (source.web.url !== source.text) {
    context.progress.note(
      `${weightsLockName} has the URL without its query, which may have a signature: name the whole URL to copy it again`,
    );
  }
  return { at, files: [{ path, bytes, web: source.web }], revision: undefined, locked };
}

function lockedAt(context: Context, { text: source }: WeightsSource, at: VolumePath): LockedWeights | undefined {
  return readLock(context).find((each) => isSameEntry(each, { source, target: formatRemotePath(at) }));
}

function selectionOf({ include = [], exclude = [] }: LockedWeights): Selection {
  return { include, exclude };
}

function nothingLockedError(): UsageError {
  return new UsageError(`there is no ${weightsLockName} in this folder`, {
    why: '--lock without a source copies what it has',
    fix: sentence`name a source and a folder: ${gantryCommand`cp hf://ORG/NAME :/models/NAME`}`,
  });
}

function missingTargetError(source: string): UsageError {
  return new UsageError(`missing target for ${source}`, {
    why: `${weightsLockName} does not have it`,
    fix: 'name a folder on a volume, such as :/models/NAME',
  });
}

type WeightsSource = ModelSource | FileSource;

interface ModelSource {
  kind: 'model';
  /** `hf://ORG/NAME` */
  text: string;
  /** `ORG/NAME` */
  name: string;
  revision: string | undefined;
}

interface FileSource {
  kind: 'file';
  /** The URL without its query, which may have a signature. */
  text: string;
  name: string;
  web: WebFile;
}

/** Parses `hf://ORG/NAME[@REVISION]` and `https://…`. Throws a UsageError for anything else. */
function parseSource(text: string, sha256: string | undefined): WeightsSource {
  if (isWebUrl(text)) {
    return { kind: 'file', text: withoutQuery(text), name: webFileName(text), web: parseWebSource(text, sha256) };
  }
  const [, name, revision] = groupsOf(/^hf:\/\/([\w.-]+(?:\/[\w.-]+)?)(?:@(.+))?$/, text);
  if (name === undefined || /(^|\/)\.+(\/|$)/.test(name)) {
    throw new UsageError(`invalid source: ${text}`, {
      why: 'expected hf://ORG/NAME, hf://ORG/NAME@REVISION, or a https:// URL with --sha256',
    });
  }
  if (sha256 !== undefined) {
    throw new UsageError('--sha256 is for a file at a https:// URL', { why: 'the hub has the checksums of its files' });
  }
  return { kind: 'model', text: `hf://${name}`, name, revision };
}
