import { basename } from 'node:path';
import { maxNameLength } from '../app-name.ts';
import { errorAt } from '../toml/issue.ts';
import { isReadable, type Rule } from './rule.ts';

/** Why a name is invalid, or undefined if it is valid. */
export function appNameProblem(name: string): string | undefined {
  if (name === '') return 'the name must not be empty';
  if (!/^[a-z0-9-]*$/.test(name)) return 'only lowercase letters, digits and hyphens are allowed';
  if (/^-|-$/.test(name)) return 'a name must start and end with a letter or digit';
  return name.length > maxNameLength ? `at most ${maxNameLength} characters` : undefined;
}

/** Converts a text to a valid name: "My App" to "my-app". */
export function toAppName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, maxNameLength);
  return slug.replace(/^-+|-+$/g, '') || 'my-app';
}

export const appNameRule: Rule = function* (app) {
  const name = app.givenName ?? app.sections.deployment?.name;
  if (name === undefined) {
    if (isReadable(app, 'deployment.name')) yield missing(app.root, app.sections.deployment !== undefined);
    return;
  }
  const why = appNameProblem(name);
  if (why === undefined) return;
  const isGiven = app.givenName !== undefined;
  yield errorAt(isGiven ? undefined : 'deployment.name', `invalid app name ${JSON.stringify(name)}`, {
    why,
    fix: isGiven ? `--name ${toAppName(name)}` : `name = "${toAppName(name)}"`,
  });
};

function missing(root: string, hasSection: boolean) {
  const line = `name = "${toAppName(basename(root))}"`;
  const fix = hasSection ? line : `[cerebrium.deployment]\n${line}`;
  return errorAt('deployment.name', 'missing app name', { why: 'name in [cerebrium.deployment] is required', fix });
}
