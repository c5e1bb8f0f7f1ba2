import { createHash } from 'node:crypto';
import { maxNameLength } from '../../app/app-name.ts';
import { toAppName } from '../../app/rules/name.ts';
import { stringifyJson } from '../../kernel/json-text.ts';

/** What a preview shows. */
export interface PreviewSource {
  /** The id of the repository; empty outside of one. */
  repository: string;
  /** The name of the app in the config file. */
  base: string;
  /** A branch, or what the user called it. */
  branch: string;
}

const hashLength = 8;

/**
 * `web-fix-login-1a2b3c4d`: an app name for a branch. The hash makes it differ from the names of other branches, apps and
 * repositories, however they are shortened, and shows later whose preview it is.
 */
export function previewName({ repository, base, branch }: PreviewSource): string {
  const source = stringifyJson([repository, base, branch]);
  const hash = createHash('sha256').update(source).digest('hex').slice(0, hashLength);
  const readable = `${base}-${toAppName(branch)}`.slice(0, maxNameLength - hashLength - 1);
  return `${readable.replace(/[-_.]+$/, '')}-${hash}`;
}

/** Which of these branches the app is a preview of: the name is its only proof. */
export function findPreviewSource(
  app: string,
  repository: string,
  branches: Iterable<string>,
): PreviewSource | undefined {
  if (!looksLikePreview(app)) return undefined;
  const bases = [...app.matchAll(/-/g)].map(({ index }) => app.slice(0, index));
  for (const branch of branches) {
    const slug = toAppName(branch);
    for (const base of bases) {
      if (!app.startsWith(`${base}-${slug}`.slice(0, app.length - hashLength - 1))) continue;
      const source = { repository, base, branch };
      if (previewName(source) === app) return source;
    }
  }
  return undefined;
}

/** Whether a name has the form of a preview of any repository. */
export function looksLikePreview(app: string): boolean {
  return /^.+-[0-9a-f]{8}$/.test(app);
}
