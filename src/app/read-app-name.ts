import { existsSync } from 'node:fs';
import type { Problem } from '../kernel/errors.ts';
import { isTable } from './toml/format.ts';
import { createSource, readText } from './toml/source.ts';
import { parseToml } from './toml/syntax.ts';

/** The name, or why there is none; undefined without the file. Other mistakes do not matter to a deployed app. */
export async function readAppName(file: string, shownAs: string): Promise<string | Problem | undefined> {
  if (!existsSync(file)) return undefined;
  const read = await readText(file, shownAs);
  if ('problem' in read) return read.problem;
  const { document, problems } = parseToml(createSource(read.text, shownAs));
  const { cerebrium } = document ?? {};
  const deployment = isTable(cerebrium) ? cerebrium.deployment : undefined;
  const name = isTable(deployment) ? deployment.name : undefined;
  if (typeof name === 'string' && name !== '') return name;
  return problems[0] ?? { severity: 'error', message: `${shownAs} names no app`, fix: 'name = "my-app"' };
}

/** What a command warns of that can do without the file. */
export function ignoredFile(problem: Problem, shownAs: string): Problem {
  return { ...problem, severity: 'warning', message: `${shownAs} is ignored: ${problem.message}` };
}
