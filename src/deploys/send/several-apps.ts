import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkAppConfig } from '../../app/config.ts';
import { appsBelow } from '../../app/toml/source.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { type ExitName, exitCodes, UsageError } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';
import type { Context } from '../../platform/context.ts';

/** The exit code of several apps is the last of these that one of them has. */
const worstLast: readonly ExitName[] = words(
  'ok changes pending rate-limited unavailable conflict input-needed usage',
  'project not-found denied auth limit failed app-error build-failed not-ready',
  'bug interrupted terminated',
);

export function worstExit(codes: readonly number[]): ExitName {
  return worstLast.findLast((name) => codes.includes(exitCodes[name].code)) ?? 'ok';
}

/** The apps in these folders, as they were typed. One without a config file is passed over; what is no folder is a UsageError. */
export async function findApps({ cwd, progress }: Context, words: readonly string[], configFile: string) {
  const byFolder = new Map<string, { folder: string; app: string }>();
  for (const folder of words) {
    const path = resolve(cwd, folder);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw noFolderError(folder, words);
    const file = join(path, configFile);
    if (!existsSync(file)) progress.note(`${folder} is not an app: it has no ${configFile}`);
    else byFolder.set(path, { folder, app: (await checkAppConfig(file)).config?.name ?? folder });
  }
  const apps = [...byFolder.values()];
  const twice = apps.find(({ app }, at) => apps.findIndex((other) => other.app === app) < at);
  // Of two deploys of one app, the later one replaces the other. Which of them has the wrong name is not known.
  const files = apps.filter(({ app }) => app === twice?.app).map(({ folder }) => join(folder, configFile));
  const fix = `correct the name in ${files.join(' or ')}`;
  if (twice) throw new UsageError(`two folders have the app ${twice.app}`, { fix });
  if (apps.length > 0) return apps;
  const below = words.flatMap((word) => appsBelow(resolve(cwd, word)).map((app) => join(word, app)));
  const line = below.length > 0 ? gantryCommand`deploy ${below}` : gantryCommand`init ${words[0] ?? '.'}`;
  throw new UsageError(`no folder has a ${configFile}`, { fix: line });
}

function noFolderError(typed: string, { length }: readonly string[]): UsageError {
  const message = `unexpected argument "${typed}"`;
  if (length > 1 || !/^[\w-]+$/.test(typed)) {
    const why = /[*?[]/.test(typed) ? 'no folder matches this pattern' : 'there is no such folder';
    return new UsageError(message, { why, fix: 'correct the name' });
  }
  return new UsageError(message, {
    why: 'there is no such folder; without an argument, deploy sends the working directory',
    fix: sentence`${gantryCommand`deploy`} (with --name ${typed} for another name)`,
  });
}
