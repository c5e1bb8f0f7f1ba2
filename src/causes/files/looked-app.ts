import type { PythonCall } from '../../app/python/facts.ts';
import { once } from '../../kernel/once.ts';
import { Flows } from './flows.ts';
import { type Module, ModuleGraph } from './modules.ts';
import { Packages } from './packages.ts';
import type { Shipment } from './shipment.ts';

/** A call in a Python file of the app. */
export type ModuleCall = PythonCall & { file: string };

/** What looks know of the app: what is sent, what the build installs, and what its Python says. */
export class LookedApp {
  readonly packages: Packages;
  readonly graph: ModuleGraph;
  readonly flows: Flows;
  readonly modules: readonly Module[];

  constructor(readonly shipment: Shipment) {
    this.packages = new Packages(shipment);
    this.graph = new ModuleGraph(shipment, this.packages);
    this.flows = new Flows(this.graph);
    this.modules = [...this.graph.modules.values()];
  }

  /** The calls of all modules. */
  calls = once((): readonly ModuleCall[] =>
    this.modules.flatMap(({ file, facts }) => facts.calls.map((call) => ({ ...call, file }))),
  );

  /** The names of what they import. */
  imported = once(
    (): ReadonlySet<string> => new Set(this.modules.flatMap(({ facts }) => facts.imports.map(({ module }) => module))),
  );
}
