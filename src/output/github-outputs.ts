import { appendFileSync } from 'node:fs';
import { type Environment, readVariable } from '../config/environment.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { redactValue } from './redacted-json.ts';
import { stripControlSequences } from './sanitize.ts';

/** The outputs of a workflow step for later steps. */
export interface StepOutputs {
  app: string;
  'build-id': string;
  status: string;
  endpoint: string;
  'dashboard-url': string;
}

/** Writes a deploy's outputs and its summary where GitHub Actions wants them; elsewhere it does nothing. */
export function writeGithubOutputs(env: Environment, said: StepOutputs, secrets: KnownSecrets): void {
  if (readVariable(env, 'GANTRY_CI_OUTPUT') === '0') return;
  const outputs = redactValue(said, secrets);
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

/** A newline in a value would start an output of its own. */
function oneLine(text: string): string {
  return stripControlSequences(text, false).replace(/[\r\n]+/g, ' ');
}

function append(file: string | undefined, text: string): void {
  if (file) appendFileSync(file, text);
}
