import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkSource } from '../app/app-source.ts';
import type { AppConfig } from '../app/config.ts';
import type { FileLocation } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';
import { locateFix } from './dockerfile-fix.ts';
import type { Explanation } from './explanation.ts';

type PlaceContext = Pick<Context, 'cwd' | 'env' | 'signal'>;

/** Where to change what failed: the line of the app's code, the instruction of the Dockerfile, or the setting. */
export async function locateCause(
  context: PlaceContext,
  log: string,
  explanation: Explanation,
  config: AppConfig | undefined,
  shownAs: string,
): Promise<FileLocation | undefined> {
  return ofCode[explanation.cause]?.(context, log, config) ?? locateFix(explanation, config, shownAs);
}

/** The line of the app in this folder that the last traceback names, where it is still wrong. */
async function locateSyntaxError({ cwd, env, signal }: PlaceContext, log: string, config: AppConfig | undefined) {
  const file = [...log.matchAll(/^\s*File "(?:\/cortex\/|\/app\/)?([\w/-]+\.py)", line \d/gm)].at(-1)?.[1];
  if (config === undefined || file === undefined) return undefined;
  const path = join(config.root, file);
  const problems = existsSync(path) ? await checkSource(config, file, relative(cwd, path), { env, signal }) : [];
  return problems.find(({ location }) => location)?.location;
}

/** The line that raised what was raised, where the file still has it. */
async function locateMistake({ cwd }: PlaceContext, log: string, config: AppConfig | undefined) {
  const frames = [...log.matchAll(/^\s*File "(?:\/cortex\/|\/app\/)?([\w/-]+\.py)", line (\d+).*\n\s*(.+)/gm)];
  const [, file = '', line, text = ''] = frames.at(-1) ?? [];
  const path = config && join(config.root, file);
  if (path === undefined || file === '' || !existsSync(path)) return undefined;
  const lineThere = readFileSync(path, 'utf8').split('\n')[Number(line) - 1] ?? '';
  if (lineThere.trim() !== text.trim()) return undefined;
  const place = { line: Number(line), column: lineThere.indexOf(text.trim()) + 1, length: text.trim().length };
  return { file: relative(cwd, path), ...place, text: lineThere };
}

/** Causes that lie in the code of the app, with what finds the line, if anything does. */
const ofCode: Readonly<Record<string, typeof locateMistake | undefined>> = {
  'syntax-error': locateSyntaxError,
  'code-error': locateMistake,
  'shell-syntax-error': undefined,
};

/** Whether the files of the app would show more of a cause. */
export function isOfCode(cause: string): boolean {
  return Object.hasOwn(ofCode, cause);
}
