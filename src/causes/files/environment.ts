import { gantryCommand } from '../../kernel/command-line.ts';
import type { ModuleGraph } from './modules.ts';
import { isBeside, withoutComments } from './script-imports.ts';
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

function variablesSet(shipment: Shipment, graph: ModuleGraph): Set<string> {
  const image = shipment.dockerfile()?.stage.environment.keys() ?? [];
  const started = shipment.started().flatMap(({ environment }) => [...environment.keys()]);
  const code = [...graph.modules.values()].flatMap(({ facts }) =>
    facts.environment.flatMap(({ name, isNeeded }) => (isNeeded === 'set' ? [name] : [])),
  );
  const file = shipment.read('.env').matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm);
  return new Set([...image, ...started, ...code, ...[...file].map(([, name = '']) => name)]);
}

/** Of other languages, by what they do without a variable: the group `name`. */
function scriptReads(shipment: Shipment): Needed[] {
  const started = shipment.startedFiles().filter((file) => file.endsWith('.sh'));
  const sources = shipment.isDocker ? shipment.paths.filter((path) => !isBeside(path) && !path.endsWith('.sh')) : [];
  return [...started, ...sources].flatMap((file) => {
    const rows = demanding.filter(({ files }) => files.test(file));
    const text = rows.length === 0 ? '' : withoutComments(shipment.read(file));
    return rows.flatMap(({ pattern, isOptional = false, only }) =>
      (only?.test(text) === false ? [] : [...text.matchAll(pattern)]).map(({ index, groups }) => {
        const line = text.slice(0, index).trimEnd().split('\n').length;
        return { name: groups?.name ?? groups?.other ?? '', file, line, isOptional };
      }),
    );
  });
}

const script = /(?<!\.d)\.[cm]?[jt]sx?$/;
const go = /(?<!_test)\.go$/;

/** How languages demand a variable, or read one that they hardly can do without. */
const demanding: readonly { files: RegExp; pattern: RegExp; isOptional?: true; only?: RegExp }[] = [
  {
    files: script,
    pattern: /^\s*(?<name>[A-Z][A-Z0-9_]+): *z\.(?!.*\b(?:optional|default|nullish|catch|preprocess)\()[^\n]*,?$/gm,
    only: /\.parse\(process\.env\)/,
  },
  {
    files: script,
    pattern:
      /if \(!process\.env\.(?<name>\w+)\) *\{?\s*throw|(?:const|let) (\w+) = process\.env\.(?<other>\w+);?\s*if \(!\2\) *\{?\s*throw/g,
  },
  { files: /\.(?:go|[cm]?[jt]s)$/, pattern: /\b(?:must|require)\w*env\w*\("(?<name>[A-Z][A-Z0-9_]+)"\)/gi },
  {
    files: go,
    pattern:
      /(\w+)(?:, (\w+))? :?= os\.(?:Getenv|LookupEnv)\("(?<name>\w+)"\)\s*;?\s*(?:if )?(?:\1 == ""|!\2) \{\s*(?:log\.(?:Fatal|Panic)|panic\(|os\.Exit|return .*(?:Errorf|errors\.))/g,
  },
  {
    files: go,
    pattern: /= os\.Getenv\("(?<name>\w*(?:KEY|TOKEN|SECRET|PASSWORD|DSN|URL|URI))"\)(?!\s*;?\s*(?:if )?\w+ [!=]=)/g,
    isOptional: true,
  },
  { files: /\.rs$/, pattern: /\benv::var\("(?<name>\w+)"\)\s*\.(?:expect|unwrap)\(/g },
  { files: /\.r[bu]$/, pattern: /\bENV\.fetch\(["'](?<name>\w+)["']\)(?!\s*(?:\{|do\b))/g },
  { files: /\.sh$/, pattern: /\$\{(?<name>[A-Z]\w+):?\?/g },
];

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
