import { basename } from 'node:path';
import { errorAt } from '../toml/issue.ts';
import { isReadable, type Rule } from './rule.ts';

/** The longest name: it is one label of a host name. */
const longest = 63;

/** Why a text cannot be the name of an app, or undefined if it can. */
export function appNameProblem(name: string): string | undefined {
  if (name === '') return 'an app is called by its name';
  if (!/^[a-z0-9-]*$/.test(name)) return 'lower-case letters, digits and hyphens only';
  if (/^-|-$/.test(name)) return 'a name begins and ends with a letter or a digit';
  return name.length > longest ? `at most ${longest} characters` : undefined;
}

/** The valid name closest to a text: "My App" becomes "my-app". */
export function toAppName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, longest);
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
  yield errorAt(isGiven ? undefined : 'deployment.name', `app name ${JSON.stringify(name)} is not valid`, {
    why,
    fix: isGiven ? `--name ${toAppName(name)}` : `name = "${toAppName(name)}"`,
  });
};

function missing(root: string, hasSection: boolean) {
  const line = `name = "${toAppName(basename(root))}"`;
  const fix = hasSection ? line : `[cerebrium.deployment]\n${line}`;
  return errorAt('deployment.name', 'the app has no name', { why: 'name in [cerebrium.deployment] is required', fix });
}
