import { join } from 'node:path';
import { closestName } from '../kernel/closest-name.ts';
import { type CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { readRegular } from '../kernel/disk/index.ts';
import type { CorrectedWord } from '../kernel/errors.ts';
import type { FunctionParameters, Parameter, ProgramStructure } from './python-program.ts';

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
  return { function: name, parameters: samplesOf(ownParameters((program.parameters.get(name) ?? noParameters).named)) };
}

/** A value for each parameter that a call lacks, as its type suggests. */
export function samplesOf(named: readonly Parameter[], given: object = {}): Record<string, unknown> {
  const lacking = named.filter(({ name, hasDefault }) => !hasDefault && !Object.hasOwn(given, name));
  return Object.fromEntries(lacking.map(({ name, type }) => [name, sampleOf(type)]));
}

/** Values of all that a function of main.py surely needs and a call of it lacks; a decorator may change what it takes. */
export async function lackingValues(root: string, fn: string, given: object): Promise<Record<string, unknown>> {
  const { named, isDecorated } = await parametersOf(root, fn);
  return isDecorated ? {} : samplesOf(ownParameters(named), given);
}

/** What a call of a function of main.py lacks. */
export async function missingPairs(root: string, fn: string, given: object): Promise<string[]> {
  return pairsOf(samplesOf(ownParameters((await parametersOf(root, fn)).named), given));
}

/** What a function of main.py takes, and the word of a call that makes it fit. */
export async function fitCall(root: string, fn: string, given: object) {
  const named = ownParameters((await parametersOf(root, fn)).named);
  return { why: `${fn} takes ${parameterWords(named)}`, corrected: correctedWord(named, given) };
}

/** Its name is another one, or others are missing before it. */
function correctedWord(named: readonly Parameter[], given: object): CorrectedWord | undefined {
  const free = named.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
  const unknown = Object.keys(given).find((name) => !named.some((each) => each.name === name));
  const word = unknown === undefined ? Object.keys(given)[0] : closestName(unknown, free);
  if (word === undefined) return undefined;
  const missing = pairsOf(samplesOf(named, { ...given, [word]: true }));
  const typed = unknown ?? word;
  return missing.length > 0 || typed !== word ? { typed, meant: [...missing, word] } : undefined;
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
  const { analyzeProgram } = await import('./python-program.ts');
  return analyzeProgram(await readRegular(join(root, 'main.py')).catch(() => Buffer.from('')));
}

const parametersOf = async (root: string, fn: string): Promise<FunctionParameters> =>
  (await programOf(root)).parameters.get(fn) ?? noParameters;

const functionsIn = ({ functions, parameters }: ProgramStructure) =>
  functions.filter((name) => !name.startsWith('_') && ungiven(parameters.get(name)) === '');

/** The parameters that a function requires, and that no call can give it, in words. */
export const ungiven = ({ positional, isDecorated }: FunctionParameters | undefined = noParameters): string =>
  (isDecorated ? [] : positional.filter(({ hasDefault }) => !hasDefault)).map(({ name }) => name).join(', ');

const noParameters: FunctionParameters = { named: [], positional: [], takesAny: false, isDecorated: false };

/** What a function takes, in words: `name, seconds (optional)`. */
export function parameterWords(named: readonly Parameter[]): string {
  return named.map(({ name, hasDefault }) => `${name}${hasDefault ? ' (optional)' : ''}`).join(', ') || 'no parameters';
}

const ownParameters = (named: readonly Parameter[]) => named.filter(({ name }) => name !== 'run_id');

/** A command that calls the app, if the folder has its code and that has a function; undefined otherwise. */
export async function sampleInvocation(root: string, app: string, wanted?: string): Promise<CommandLine | undefined> {
  const { checkAppConfig } = await import('./config.ts');
  const { config } = await checkAppConfig(join(root, 'cerebrium.toml'));
  const isHere = config?.deployment.name === app && config.runtime === 'cortex';
  const sample = isHere ? await sampleCallOf(root, wanted) : undefined;
  return sample && gantryCommand`invoke ${app} ${sampleArguments(sample)}`;
}

/** What follows the app in `gantry invoke`. */
export function sampleArguments({ function: name, parameters }: SampleCall): string[] {
  return name === 'run' ? pairsOf(parameters) : [name, ...pairsOf(parameters)];
}

/** `name=text` or `name:=json`. */
export function pairsOf(parameters: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parameters).map(([key, value]) =>
    typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
  );
}

/** Whether no value of a type of Python is a text. */
export const isOfNoText = (type: string) => Object.hasOwn(samples, type.toLowerCase());

function sampleOf(type: string): unknown {
  if (isOfNoText(type)) return samples[type.toLowerCase()];
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
