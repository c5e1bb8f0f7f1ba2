import { appendFileSync } from 'node:fs';
import { type Environment, readVariable } from '../environment.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { redactValue } from './redacted-json.ts';
import { stripControlSequences } from './sanitize.ts';

export interface StepOutputs {
  app: string;
  'build-id': string;
  status: string;
  'build-status': string;
  endpoint: string;
  'dashboard-url': string;
}

export interface StepFailure {
  message: string;
  reason: string | undefined;
  fix: string | undefined;
  log: readonly string[];
}

export function writeGithubOutputs(
  env: Environment,
  result: StepOutputs,
  secrets: KnownSecrets,
  failure?: StepFailure,
): void {
  if (readVariable(env, 'GANTRY_CI_OUTPUT') === '0') return;
  const outputs = redactValue(result, secrets);
  const entries = Object.entries(outputs);
  append(readVariable(env, 'GITHUB_OUTPUT'), entries.map(([name, value]) => `${name}=${oneLine(value)}\n`).join(''));
  append(readVariable(env, 'GITHUB_STEP_SUMMARY'), summary(outputs, failure && redactValue(failure, secrets)));
}

function summary(
  { app, status, endpoint, 'build-id': build, 'build-status': built, 'dashboard-url': dashboard }: StepOutputs,
  failure: StepFailure | undefined,
): string {
  const rows = [
    ['status', status],
    ['error', failure?.message],
    ['reason', failure?.reason],
    ['fix', failure?.fix],
    ['build', build && `\`${oneLine(build)}\`${built && built !== status ? ` (${built})` : ''}`],
    ['endpoint', endpoint],
    ['dashboard', dashboard],
  ].filter(([, value]) => value);
  const lines = rows.map(([name, value]) => `| ${name} | ${oneLine(value ?? '').replace(/\|/g, '\\|')} |\n`);
  return `### Deploy of ${oneLine(app)}\n\n| | |\n|---|---|\n${lines.join('')}\n${logBlock(failure?.log ?? [])}`;
}

/** Indented rather than fenced: no line of a log can end it. */
function logBlock(log: readonly string[]): string {
  if (log.length === 0) return '';
  return `End of the log:\n\n${log.map((line) => `    ${oneLine(line)}\n`).join('')}\n`;
}

/** A newline would start another output. */
function oneLine(text: string): string {
  return stripControlSequences(text, false).replace(/[\r\n]+/g, ' ');
}

function append(file: string | undefined, text: string): void {
  if (file) appendFileSync(file, text);
}
