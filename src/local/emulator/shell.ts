import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Environment, readVariable } from '../../kernel/environment.ts';

/** With `dotenv`, a file of variables, as GitHub Actions and docker read it. */
export const shells = ['sh', 'fish', 'powershell', 'cmd', 'dotenv'] as const;
type Shell = (typeof shells)[number];

/** The shell that runs gantry: the parent process where the system shows it, else by its variables. */
export function detectShell(env: Environment, platform = process.platform, parent = parentName()): Shell {
  const name = shellNamed(parent) ?? shellNamed(readVariable(env, 'SHELL'));
  if (name) return name;
  if (platform !== 'win32') return 'sh';
  // PowerShell adds the user's own modules, or those of its version, to the variable that every process has.
  return /\\Documents\\|\\PowerShell\\\d/i.test(readVariable(env, 'PSModulePath') ?? '') ? 'powershell' : 'cmd';
}

function shellNamed(path: string | undefined): Shell | undefined {
  const name = basename((path ?? '').replaceAll('\\', '/')).replace(/\.exe$/i, '');
  if (name === 'fish') return 'fish';
  if (name === 'pwsh' || name === 'powershell') return 'powershell';
  return /^(ba|z|da|k|mk|a)?sh$/.test(name) ? 'sh' : undefined;
}

/** On Linux only. Empty elsewhere. */
function parentName(): string {
  try {
    return readFileSync(`/proc/${process.ppid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

type Assignment = (name: string, value: string) => string;

const single = (value: string, escaped: string) => `'${value.replaceAll("'", escaped)}'`;

const assignments: Record<Shell, Assignment> = {
  sh: (name, value) => `export ${name}=${single(value, `'\\''`)}`,
  fish: (name, value) => `set -gx ${name} ${single(value.replaceAll('\\', '\\\\'), `\\'`)}`,
  powershell: (name, value) => `$env:${name} = ${single(value, `''`)}`,
  cmd: (name, value) => `set "${name}=${value}"`,
  dotenv: (name, value) => `${name}=${value}`,
};

/** Commands that set these variables. */
export function exportCommands(environment: Record<string, string>, shell: Shell): string {
  return Object.entries(environment)
    .map(([name, value]) => assignments[shell](name, value))
    .join('\n');
}

/** The command line that runs what `gantry WORDS` prints. */
export function evaluationOf(command: string, shell: Shell): string {
  if (shell === 'fish') return `${command} | source`;
  if (shell === 'powershell') return `${command} | Out-String | Invoke-Expression`;
  if (shell === 'cmd') return `for /f "delims=" %i in ('${command}') do @%i`;
  return `eval "$(${command})"`;
}
