import { gantryCommand } from '../../kernel/command-line.ts';
import type { ModuleGraph } from './modules.ts';
import { isBeside, isScript, withoutComments } from './script-imports.ts';
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
export function neededVariables(shipment: Shipment, graph: ModuleGraph): Needed[] {
  const set = variablesSet(shipment, graph);
  const found = new Map<string, Needed>();
  for (const each of [...pythonReads(graph), ...scriptReads(shipment)]) {
    const known = found.get(each.name);
    if (given.test(each.name) || (each.isOptional && reporting.test(each.name)) || set.has(each.name)) continue;
    if (!known || (known.isOptional && !each.isOptional)) found.set(each.name, each);
  }
  return [...found.values()];
}

/** Variables that the settings of Django need in the build, where there are no secrets. */
export function* lookAtBuildVariables(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const { path: file = '', image } = shipment.dockerfile() ?? {};
  const text = shipment.read(file);
  const step = image?.stages
    .flatMap(({ commands }) => commands)
    .find(({ words, hasMounts }) => /^python[\d.]* (?:\S*\/)?manage\.py /.test(words.join(' ')) && !hasMounts);
  const isOfSettings = (each: Needed) => /(?:^|\/)settings(?:\.py$|\/)/.test(each.file) && !each.isOptional;
  for (const { name, ...place } of step ? neededVariables(shipment, graph).filter(isOfSettings) : [])
    if (!new RegExp(`\\b${name}\\b`).test(text))
      yield {
        cause: 'secret-missing',
        severity: 'error',
        at: { file, line: step?.line },
        title: `${step?.words.slice(1, 3).join(' ')} needs ${name}, and there are no secrets in a build`,
        why: `${place.file}:${place.line} reads it`,
        fix: `RUN ${name}=build ${step?.words.join(' ')}`,
      };
}

function variablesSet(shipment: Shipment, graph: ModuleGraph): Set<string> {
  const image = shipment.dockerfile()?.stage.environment.keys() ?? [];
  const started = shipment.started().flatMap(({ environment }) => [...environment.keys()]);
  const code = [...graph.modules.values()].flatMap(({ facts }) =>
    facts.environment.flatMap(({ name, isNeeded }) => (isNeeded === 'set' ? [name] : [])),
  );
  const file = shipment.read('.env').matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm);
  return new Set([...image, ...started, ...code, ...[...file].map(([, name = '']) => name)]);
}

/** Of Node: `if (!process.env.X) throw`, and what a schema of zod demands. */
function scriptReads(shipment: Shipment): Needed[] {
  const files = shipment.isDocker ? shipment.paths.filter((path) => isScript(path) && !isBeside(path)) : [];
  return files.flatMap((file) => {
    const text = withoutComments(shipment.read(file));
    const pattern = /\.parse\(process\.env\)/.test(text) ? inSchema : demanded;
    return [...text.matchAll(pattern)].map(({ index, 1: one = '', 3: name = one }) => {
      const line = text.slice(0, index).trimEnd().split('\n').length;
      return { name, file, line, isOptional: false };
    });
  });
}

const inSchema = /^\s*([A-Z][A-Z0-9_]+): *z\.(?!.*\b(?:optional|default|nullish|catch|preprocess)\()[^\n]*,?$/gm;
const demanded =
  /if \(!process\.env\.(\w+)\) *\{?\s*throw|(?:const|let) (\w+) = process\.env\.(\w+);?\s*if \(!\2\) *\{?\s*throw/g;

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
