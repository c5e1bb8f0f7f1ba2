import { appendFileSync } from 'node:fs';
import { type Environment, readVariable } from '../config/environment.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { redactValue } from './redacted-json.ts';
import { stripControlSequences } from './sanitize.ts';

export interface StepOutputs {
  app: string;
  'build-id': string;
  status: string;
  endpoint: string;
  'dashboard-url': string;
}

/** Writes the outputs and the summary of a deploy to the files of GitHub Actions. Does nothing elsewhere. */
export function writeGithubOutputs(env: Environment, result: StepOutputs, secrets: KnownSecrets): void {
  if (readVariable(env, 'GANTRY_CI_OUTPUT') === '0') return;
  const outputs = redactValue(result, secrets);
  const entries = Object.entries(outputs);
  append(readVariable(env, 'GITHUB_OUTPUT'), entries.map(([name, value]) => `${name}=${oneLine(value)}\n`).join(''));
  append(readVariable(env, 'GITHUB_STEP_SUMMARY'), summary(outputs));
}

function summary({ app, status, endpoint, 'build-id': build, 'dashboard-url': dashboard }: StepOutputs): string {
  const rows = [
    ['status', status],
    ['build', `\`${oneLine(build)}\``],
    ['endpoint', endpoint],
    ['dashboard', dashboard],
  ].filter(([, value]) => value);
  const lines = rows.map(([name, value]) => `| ${name} | ${oneLine(value ?? '').replace(/\|/g, '\\|')} |\n`);
  return `### Deploy of ${oneLine(app)}\n\n| | |\n|---|---|\n${lines.join('')}\n`;
}

/** A newline would start another output. */
function oneLine(text: string): string {
  return stripControlSequences(text, false).replace(/[\r\n]+/g, ' ');
}

function append(file: string | undefined, text: string): void {
  if (file) appendFileSync(file, text);
}
