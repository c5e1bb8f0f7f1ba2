import { UsageError } from '../../kernel/errors.ts';
import { isWebUrl, parseWebSource, webFileName, withoutQuery } from '../copy/index.ts';
import type { WebFile } from '../transfer/web-file.ts';

/** Where weights come from: a model of the hub, or one file. */
export type WeightsSource = ModelSource | FileSource;

export interface ModelSource {
  kind: 'model';
  /** `hf://ORG/NAME` */
  text: string;
  /** `ORG/NAME` */
  name: string;
  revision: string | undefined;
}

export interface FileSource {
  kind: 'file';
  /** The URL without its query, which may have a signature. */
  text: string;
  /** The last name of its path. */
  name: string;
  web: WebFile;
}

/** Parses `hf://ORG/NAME[@REVISION]` and `https://…`. Throws a UsageError for anything else. */
export function parseSource(
  text: string,
  { revision, sha256 }: { revision?: string | undefined; sha256?: string | undefined },
): WeightsSource {
  if (isWebUrl(text)) {
    if (revision !== undefined) throw new UsageError('--revision is for models of the hub (hf://)');
    return { kind: 'file', text: withoutQuery(text), name: webFileName(text), web: parseWebSource(text, sha256) };
  }
  const [, name, typed] = /^hf:\/\/([\w.-]+(?:\/[\w.-]+)?)(?:@(.+))?$/.exec(text) ?? [];
  if (name === undefined || /(^|\/)\.+(\/|$)/.test(name)) {
    throw new UsageError(`invalid source: ${text}`, {
      why: 'expected hf://ORG/NAME, hf://ORG/NAME@REVISION, or a https:// URL with --sha256',
    });
  }
  if (sha256 !== undefined) {
    throw new UsageError('--sha256 is for a file at a https:// URL', { why: 'the hub has the checksums of its files' });
  }
  if (typed !== undefined && revision !== undefined && typed !== revision)
    throw new UsageError(`two revisions: ${typed} in the source and ${revision} in --revision`);
  return { kind: 'model', text: `hf://${name}`, name, revision: typed ?? revision };
}
