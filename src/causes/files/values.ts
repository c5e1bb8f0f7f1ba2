import type { Module, ModuleGraph } from './modules.ts';

/** What `PORT` or `config.PORT` stands for: a constant of a module, or a field of a class. Undefined if it is not known. */
export function referredValue(reference: string, module: Module, graph: ModuleGraph): string | undefined {
  const [first = '', ...rest] = /^\w+(?:\.\w+)*$/.test(reference) ? reference.split('.') : [];
  return ownerOf(first, module, graph)?.facts.values.get(rest.at(-1) ?? first);
}

/** The module that gives a name its value. Undefined if it is imported from what is not sent. */
export function ownerOf(name: string, module: Module, graph: ModuleGraph): Module | undefined {
  const link = module.links.find(({ found }) => found.as === name);
  if (!link) return module;
  const path = link.found.name === undefined ? link.target : (graph.partOf(link.target, name) ?? link.target);
  const owner = typeof path === 'string' ? graph.modules.get(path) : undefined;
  return owner === module ? undefined : owner;
}
