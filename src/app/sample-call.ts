import { join } from 'node:path';
import { type CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { readRegular } from '../kernel/disk/index.ts';
import type { Parameter, ProgramStructure } from './main-guard.ts';

/** A call that a function of main.py accepts, as far as its text tells. */
export interface SampleCall {
  function: string;
  parameters: Record<string, unknown>;
}

/** A call of the named function, else of `run`, or of the first one that can be called; undefined without one. */
export async function sampleCallOf(root: string, wanted?: string): Promise<SampleCall | undefined> {
  const program = await programOf(root);
  const functions = functionsIn(program);
  const name = wanted ?? (functions.includes('run') ? 'run' : functions[0]);
  if (name === undefined || !functions.includes(name)) return undefined;
  const given = ownParameters(program.parameters.get(name)?.named).filter(({ hasDefault }) => !hasDefault);
  return {
    function: name,
    parameters: Object.fromEntries(given.map((parameter) => [parameter.name, sampleOf(parameter.type)])),
  };
}

export async function callableFunctions(root: string): Promise<string[]> {
  return functionsIn(await programOf(root));
}

/** Whether main.py may have a function of this name: its text has the name, or may take it from elsewhere. */
export async function mayHaveFunction(root: string, name: string): Promise<boolean> {
  const text = String(await readRegular(join(root, 'main.py')).catch(() => ''));
  return (
    text === '' ||
    /import \*|\b(?:globals|setattr)\(/.test(text) ||
    !/^\w+$/.test(name) ||
    new RegExp(`\\b${name}\\b`).test(text)
  );
}

async function programOf(root: string): Promise<ProgramStructure> {
  const { analyzeProgram } = await import('./main-guard.ts');
  return analyzeProgram(await readRegular(join(root, 'main.py')).catch(() => Buffer.from('')));
}

const functionsIn = ({ functions }: ProgramStructure) => functions.filter((name) => !name.startsWith('_'));

/** What a function of main.py takes, in words: `name, seconds (optional)`. */
export async function parameterWords(root: string, name: string): Promise<string> {
  const given = ownParameters((await programOf(root)).parameters.get(name)?.named);
  return given.map((each) => `${each.name}${each.hasDefault ? ' (optional)' : ''}`).join(', ') || 'no parameters';
}

const ownParameters = (named: readonly Parameter[] = []) => named.filter(({ name }) => name !== 'run_id');

/** A command that calls the app, if the folder has its code and that has a function; undefined otherwise. */
export async function sampleInvocation(root: string, app: string, wanted?: string): Promise<CommandLine | undefined> {
  const { checkAppConfig } = await import('./config.ts');
  const { project } = await checkAppConfig(join(root, 'cerebrium.toml'));
  const isHere = project?.deployment.name === app && project.runtime === 'cortex';
  const sample = isHere ? await sampleCallOf(root, wanted) : undefined;
  return sample && gantryCommand`invoke ${app} ${sampleArguments(sample)}`;
}

/** What follows the app in `gantry invoke`. */
export function sampleArguments({ function: name, parameters }: SampleCall): string[] {
  const pairs = Object.entries(parameters).map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
  );
  return name === 'run' ? pairs : [name, ...pairs];
}

function sampleOf(type: string): unknown {
  const plain = type.toLowerCase();
  if (Object.hasOwn(samples, plain)) return samples[plain];
  // Classes are usually models with fields.
  return /^[A-Z]/.test(type) && !/^(Any|Optional|Union|Literal|Annotated)$/.test(type) ? {} : 'text';
}

const samples: Record<string, unknown> = {
  int: 1,
  float: 1.5,
  bool: true,
  list: [],
  tuple: [],
  set: [],
  sequence: [],
  iterable: [],
  dict: {},
  mapping: {},
};
