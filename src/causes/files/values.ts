import { posix } from 'node:path';
import { load } from 'js-yaml';
import { parse } from 'smol-toml';
import { pathIn } from '../../app/python/facts.ts';
import { flagOf } from '../../app/shell.ts';
import type { Module, ModuleGraph } from './modules.ts';
import type { Shipment } from './shipment.ts';

/**
 * What `config.PORT`, `settings["server"]["port"]` or `args.port` stands for: a constant of a module, a field of a class, a
 * key of a file of settings, or the default of an option of the command line. Undefined if it is not known.
 */
export function referredValue(
  reference: string,
  module: Module,
  shipment: Shipment,
  graph: ModuleGraph,
): string | undefined {
  if (!/^\w+(?:\.\w+|\[["']\w+["']\])*$/.test(reference)) return undefined;
  const [first = '', ...rest] = reference.match(/\w+/g) ?? [];
  const owner = ownerOf(first, module, graph);
  if (!owner) return undefined;
  const last = rest.at(-1) ?? first;
  return (
    inEnvironment(last, owner, shipment) ??
    owner.facts.values.get(last) ??
    optionOf(last, shipment, graph) ??
    inSettings(rest, owner, shipment)
  );
}

/** The module that gives a name its value. Undefined if it is imported from what is not sent. */
export function ownerOf(name: string, module: Module, graph: ModuleGraph): Module | undefined {
  const link = module.links.find(({ found }) => found.as === name);
  if (!link) return module;
  const path = link.found.name === undefined ? link.target : (graph.partOf(link.target, name) ?? link.target);
  const owner = typeof path === 'string' ? graph.modules.get(path) : undefined;
  return owner === module ? undefined : owner;
}

/** The variable of the image that a class of settings reads: of its name, with a prefix only where the class has one. */
function inEnvironment(name: string, { facts }: Module, shipment: Shipment): string | undefined {
  if (!facts.imports.some((each) => each.name === 'BaseSettings')) return undefined;
  const prefix = facts.calls.map(({ keywords }) => keywords.env_prefix).find((each) => each !== undefined) ?? '';
  const wanted = `${prefix}${name}`.toUpperCase();
  const set = shipment.started().flatMap(({ environment }) => [...environment]);
  return set.find(([each]) => each.toUpperCase() === wanted)?.[1];
}

/** The value that the command gives to an option, or its default. */
function optionOf(name: string, shipment: Shipment, graph: ModuleGraph): string | undefined {
  const flag = `--${name.replaceAll('_', '-')}`;
  const given = shipment.started().flatMap(({ words }) => flagOf(words, flag) ?? []);
  const options = [...graph.modules.values()].flatMap(({ facts }) =>
    facts.calls.filter(
      ({ name, arguments: texts }) => /(?:add_argument|\boption)$/i.test(name) && texts.includes(flag),
    ),
  );
  return options.length === 0 ? undefined : (given[0] ?? options[0]?.keywords.default);
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  '.toml': parse,
  '.json': JSON.parse,
  '.yaml': load,
  '.yml': load,
};

/** Of the files of settings that a module names, the first that has these keys. */
function inSettings(keys: readonly string[], { file, facts }: Module, shipment: Shipment): string | undefined {
  const named = facts.texts.flatMap(({ value }) => [pathIn(value), posix.join(posix.dirname(file), pathIn(value))]);
  for (const each of keys.length > 0 ? new Set(named) : []) {
    const read = readers[posix.extname(each)];
    const found = read && shipment.sent.has(each) ? keyed(keys, read, shipment.read(each)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyed(keys: readonly string[], read: (text: string) => unknown, text: string): string | undefined {
  try {
    let value: unknown = read(text);
    for (const key of keys) value = (value as Record<string, unknown> | null)?.[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  } catch {
    return undefined;
  }
}
