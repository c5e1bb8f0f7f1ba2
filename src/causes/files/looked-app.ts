import type { PythonCall } from '../../app/python/facts.ts';
import { once } from '../../kernel/once.ts';
import { type Module, ModuleGraph } from './modules.ts';
import { Packages } from './packages.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** A call in a Python file of the app. */
export type ModuleCall = PythonCall & { at: { file: string; line: number } };

/** What looks know of the app: what is sent, what the build installs, and what its Python says. */
export class LookedApp {
  readonly packages: Packages;
  readonly graph: ModuleGraph;
  readonly modules: readonly Module[];

  constructor(readonly shipment: Shipment) {
    this.packages = new Packages(shipment);
    this.graph = new ModuleGraph(shipment, this.packages);
    this.modules = [...this.graph.modules.values()];
  }

  /** The calls of all modules. */
  calls = once((): readonly ModuleCall[] =>
    this.modules.flatMap(({ file, facts }) => facts.calls.map((call) => ({ ...call, at: { file, line: call.line } }))),
  );

  /** The names of what they import. */
  imported = once(
    (): ReadonlySet<string> => new Set(this.modules.flatMap(({ facts }) => facts.imports.map(({ module }) => module))),
  );
}

/** What is found in one of many things; at the place of the thing, if it names no other. */
export type Look<Thing> = (thing: Thing, app: LookedApp) => SeenCause | readonly SeenCause[] | undefined;

/** Looks at each of many things: a package, an import, a command. */
export function* lookAtEach<Thing extends { at?: CausePlace | undefined }>(
  things: Iterable<Thing>,
  app: LookedApp,
  looks: readonly Look<Thing>[],
): Generator<SeenCause> {
  for (const thing of things)
    for (const look of looks) for (const cause of [look(thing, app) ?? []].flat()) yield { at: thing.at, ...cause };
}
