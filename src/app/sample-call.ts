import { join } from 'node:path';
import { type CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { readRegular } from '../kernel/disk/index.ts';
import { analyzeProgram } from './main-guard.ts';
import { parseStatements, type Token, topLevelStatements } from './python.ts';

/** A call that a function of main.py accepts, as far as its text tells. */
export interface SampleCall {
  function: string;
  /** A value for each parameter without a default. */
  parameters: Record<string, unknown>;
}

/** Of the named function, else of `run`, or of the first one that can be called; undefined without one. */
export async function sampleCallOf(root: string, wanted?: string): Promise<SampleCall | undefined> {
  const source = await sourceOf(root);
  const functions = functionsIn(source);
  const name = wanted ?? (functions.includes('run') ? 'run' : functions[0]);
  if (name === undefined || !functions.includes(name)) return undefined;
  // The platform itself gives the run id.
  const given = requiredParameters(source, name).filter((parameter) => parameter.name !== 'run_id');
  return {
    function: name,
    parameters: Object.fromEntries(given.map((parameter) => [parameter.name, sampleOf(parameter.type)])),
  };
}

/** The functions of main.py that can be called. */
export async function callableFunctions(root: string): Promise<string[]> {
  return functionsIn(await sourceOf(root));
}

function sourceOf(root: string): Promise<Buffer> {
  return readRegular(join(root, 'main.py')).catch(() => Buffer.from(''));
}

function functionsIn(source: Buffer): string[] {
  return analyzeProgram(source).functions.filter((name) => !name.startsWith('_'));
}

/** What a function of main.py takes, in words: `name, seconds (optional)`. */
export async function parameterWords(root: string, name: string): Promise<string> {
  const given = parametersOf(await sourceOf(root), name).filter((parameter) => parameter.name !== 'run_id');
  return given.map((each) => `${each.name}${each.hasDefault ? ' (optional)' : ''}`).join(', ') || 'no parameters';
}

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
  if (Object.hasOwn(samples, type)) return samples[type];
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
  dict: {},
  List: [],
  Tuple: [],
  Set: [],
  Sequence: [],
  Iterable: [],
  Dict: {},
  Mapping: {},
};

interface Parameter {
  name: string;
  /** The first word of its annotation; empty without one. */
  type: string;
  hasDefault: boolean;
}

export function requiredParameters(source: Buffer, name: string): Parameter[] {
  return parametersOf(source, name).filter(({ hasDefault }) => !hasDefault);
}

/** Those that a call can give. Never throws; empty for an unknown function. */
function parametersOf(source: Buffer, name: string): Parameter[] {
  for (const { tokens } of topLevelStatements(parseStatements(source.toString('latin1')))) {
    const at = tokens[0]?.text === 'async' ? 1 : 0;
    if (tokens[at]?.text === 'def' && decode(tokens[at + 1]) === name) return parametersIn(tokens.slice(at + 3));
  }
  return [];
}

/** Takes the tokens behind the opening parenthesis. */
function parametersIn(tokens: readonly Token[]): Parameter[] {
  const parameters: Token[][] = [[]];
  let depth = 1;
  /** Between `lambda` and its colon, commas separate its own parameters. */
  let isLambda = false;
  for (const token of tokens) {
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth -= 1;
    if (depth === 0) break;
    if (token.text === 'lambda' || token.text === ':') isLambda = token.text === 'lambda';
    if (depth === 1 && token.text === ',' && !isLambda) parameters.push([]);
    else parameters.at(-1)?.push(token);
  }
  return parameters.flatMap(toParameter);
}

/** Skips what collects further arguments (`*args`), or only separates others (`/`, `*`). */
function toParameter(tokens: readonly Token[]): Parameter[] {
  const [name, colon, type] = tokens;
  if (!name || !/^\w/.test(name.text)) return [];
  const hasDefault = tokens.some(({ text }) => text === '=');
  return [{ name: decode(name), type: colon?.text === ':' ? decode(type) : '', hasDefault }];
}

function decode(token: Token | undefined): string {
  return Buffer.from(token?.text ?? '', 'latin1').toString('utf8');
}
