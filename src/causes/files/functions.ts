import type { Definition, PythonFacts } from '../../app/python/facts.ts';
import type { LookedApp } from './looked-app.ts';
import type { Module } from './modules.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

const file = 'main.py';

/** Whether the default runtime has something to serve: only functions are, and no classes. */
export function* lookAtFunctions({ shipment, modules }: LookedApp): Generator<SeenCause> {
  const main = shipment.config.runtime === 'cortex' && modules.find((each) => each.file === file);
  if (!main || main.facts.isBroken || main.facts.hasMore) return;
  const { names, calls } = main.facts;
  const [owner, { line = 1 } = {}] = [...names].find(([, { made }]) => made === 'class') ?? [];
  // A script without functions may be meant to be run only.
  const isMeant = owner !== undefined || names.size + calls.length === 0;
  if (isMeant && ![...names].some((each) => mayBeCalled(each, main)))
    yield say('function-missing', { owner, method: owner && methodOf(owner, main.facts) }, { at: { file, line } });
}

/** What is assigned may be a function; what is imported from a package is not meant to be served. */
function mayBeCalled([name, { made }]: [string, Definition], { facts, links }: Module): boolean {
  const isOther = links.some(({ found, target }) => found.as === name && target === undefined);
  if (isOther || made === 'class' || facts.values.has(name) || /^(?:_.*|[A-Z][A-Z\d_]*)$/.test(name)) return false;
  return facts.names.get(made)?.made !== 'class' || facts.functions.has(`${made}.__call__`);
}

const methodOf = (owner: string, { functions }: PythonFacts) =>
  ['predict', 'run', '__call__'].find((name) => functions.has(`${owner}.${name}`)) ?? 'run';
