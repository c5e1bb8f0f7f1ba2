import { gantryCommand } from '../../kernel/command-line.ts';
import type { ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What the platform, the image or Python itself sets. */
const given = new RegExp(
  `^(?:${[
    'PATH|HOME|USER|PWD|LANG|LC_\\w+|TZ|TERM|SHELL|HOSTNAME|PORT|TMPDIR|PYTHON\\w*|VIRTUAL_ENV|LD_LIBRARY_PATH',
    'CUDA_\\w+|NVIDIA_\\w+|KUBERNETES_\\w+|POD_\\w+|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_\\w+|HF_HOME',
    'CEREBRIUM\\w*|APP_(?:\\w*ID|NAME)|PROJECT_ID|BUILD_ID|REGION|RUN_ID|PERSISTENT_STORAGE|REPLICA_ID',
  ].join('|')})$`,
);

/** What turns on a service that reports: without it, the app does without. */
const reporting = /^(?:SENTRY|OTEL|DD|NEW_RELIC|HONEYCOMB|ROLLBAR|BUGSNAG|PROMETHEUS)_\w+$/;

/** A variable that the code needs, with the first place that reads it. */
export interface Needed {
  name: string;
  file: string;
  line: number;
  /** Whether the code may go on without it. */
  isOptional: boolean;
}

/** Variables that the code cannot go on without, but for those that something here sets. */
export function neededVariables(graph: ModuleGraph, set: ReadonlySet<string>): Needed[] {
  const found = new Map<string, Needed>();
  for (const each of pythonReads(graph)) {
    const known = found.get(each.name);
    if (given.test(each.name) || (each.isOptional && reporting.test(each.name)) || set.has(each.name)) continue;
    if (!known || (known.isOptional && !each.isOptional)) found.set(each.name, each);
  }
  return [...found.values()];
}

/** Those that the image, the start, the code or the file `.env` sets. */
export function variablesSet(shipment: Shipment, graph: ModuleGraph): ReadonlySet<string> {
  const image = shipment.dockerfile()?.stage.environment.keys() ?? [];
  const started = shipment.started().flatMap(({ environment }) => [...environment.keys()]);
  const code = [...graph.modules.values()].flatMap(({ facts }) =>
    facts.environment.flatMap(({ name, isNeeded }) => (isNeeded === 'set' ? [name] : [])),
  );
  const file = shipment.read('.env').matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm);
  return new Set([...image, ...started, ...code, ...[...file].map(([, name = '']) => name)]);
}

function pythonReads(graph: ModuleGraph): Needed[] {
  return [...graph.modules.values()].flatMap(({ file, facts }) =>
    facts.environment.flatMap(({ name, line, isNeeded }) =>
      isNeeded === 'always' || isNeeded === 'sometimes'
        ? [{ name, file, line, isOptional: isNeeded === 'sometimes' || !graph.isReached }]
        : [],
    ),
  );
}

/** Those that neither the project nor the app has as a secret. */
export function missingSecrets(needed: readonly Needed[], names: readonly string[]): SeenCause[] {
  return needed
    .filter(({ name }) => !names.includes(name))
    .map(({ name, file, line, isOptional }) => {
      const other = names.find((each) => each.toLowerCase() === name.toLowerCase());
      return {
        cause: 'secret-missing',
        severity: isOptional ? 'warning' : 'error',
        captured: { name },
        at: { file, line },
        why: other ? `the name of the secret is ${other}` : 'neither the app nor the project has it',
        fix: gantryCommand`secrets set ${name}`,
      };
    });
}
