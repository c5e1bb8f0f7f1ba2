import { basename } from 'node:path';
import { maxNameLength, nameCharacters } from '../schema-keys.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { type ConfigRule, isReadable, type RuleInput } from './rule.ts';

/** Why the platform may reject a name; undefined for usual ones. No source limits the characters of a name. */
export function appNameDoubt(name: string): string | undefined {
  if (!nameCharacters.test(name)) return 'it is part of URLs: letters, digits, "-", "_" and "." are safe';
  return name.length > maxNameLength ? `it is part of URLs: up to ${maxNameLength} characters are safe` : undefined;
}

/** Converts a text to a name that any platform takes: "My App" to "my-app". */
export function toAppName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, maxNameLength);
  return slug.replace(/^-+|-+$/g, '') || 'my-app';
}

export const appNameRule: ConfigRule = function* (app) {
  const name = app.givenName ?? app.sections.deployment.name;
  if (name === undefined) return;
  const isGiven = app.givenName !== undefined;
  const at = isGiven ? undefined : 'deployment.name';
  const fix = isGiven ? `--name ${toAppName(name)}` : `name = "${toAppName(name.trim() || basename(app.root))}"`;
  const why = appNameDoubt(name);
  if (name.trim() === '') yield errorAt(at, 'the app name is empty', { fix });
  else if (why) yield warningAt(at, `the platform may reject the app name ${JSON.stringify(name)}`, { why, fix });
};

/** For a deploy: a run of a file without a name gets that of its folder. */
export const requiredNameRule: ConfigRule = function* (app) {
  const isNamed = (app.givenName ?? app.sections.deployment.name) !== undefined;
  if (!isNamed && isReadable(app, 'deployment.name')) yield missingName(app);
};

function missingName({ root, written }: RuleInput): ConfigIssue {
  const line = tomlAssignment('name', toToml(toAppName(basename(root))));
  const fix = written.has('deployment') ? line : `[cerebrium.deployment]\n${line}`;
  const why = 'name in [cerebrium.deployment] is required';
  return errorAt('deployment.name', 'missing app name', { why, fix, missing: ['deployment.name'] });
}
