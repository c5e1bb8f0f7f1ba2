import { join, relative } from 'node:path';
import { type Problem, ProjectError } from '../kernel/errors.ts';
import type { AppConfig } from './config.ts';
import { findSyntaxErrors, type ParserOptions } from './python-syntax.ts';
import { startedScript } from './rules/files.ts';
import { sections } from './schema.ts';

/** The syntax error of the file that the platform starts, named relative to the working directory. */
export async function checkAppSource(config: AppConfig, cwd: string, options: ParserOptions): Promise<Problem[]> {
  const file = startedFile(config);
  if (file === undefined) return [];
  return checkSource(config, file, relative(cwd, join(config.root, file)), options);
}

export function checkSource(
  { root, deployment }: AppConfig,
  file: string,
  shownAs: string,
  { onOtherVersion, ...options }: ParserOptions,
): Promise<Problem[]> {
  const { python_version: wanted } = deployment;
  const pythonVersion = wanted ?? String(sections.deployment.keys.python_version.default);
  const source = { path: join(root, file), shownAs, pythonVersion };
  return findSyntaxErrors(source, { ...options, ...(wanted !== undefined && { onOtherVersion }) });
}

export function throwOnError(problems: readonly Problem[]): void {
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) throw new ProjectError(error.message, problems);
}

/** Relative to the app folder. Undefined if it is not known: a Dockerfile may start anything. */
export function startedFile({ runtime, root, custom }: AppConfig): string | undefined {
  if (runtime === 'cortex') return 'main.py';
  if (!custom?.entrypoint || custom.dockerfile_path !== undefined) return undefined;
  return startedScript(root, custom.entrypoint);
}
