import { join } from 'node:path';
import { readBytesIfPresent } from '../../app/read-text.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import { foundInCode } from './script-imports.ts';
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

/** Variables that something here sets, and others that the code cannot go on without. */
export function variablesOf(app: LookedApp): { set: ReadonlySet<string>; needed: readonly Needed[] } {
  const set = variablesSet(app);
  const byName = new Map<string, Needed>();
  for (const each of pythonReads(app)) {
    const earlier = byName.get(each.name);
    if (given.test(each.name) || (each.isOptional && reporting.test(each.name)) || set.has(each.name)) continue;
    if (!earlier || (earlier.isOptional && !each.isOptional)) byName.set(each.name, each);
  }
  return { set, needed: [...byName.values()] };
}

/** Those that the image, the start, the code or the file `.env` sets. */
function variablesSet({ shipment, modules }: LookedApp): ReadonlySet<string> {
  const started = shipment.started().flatMap(({ environment }) => [...environment.keys()]);
  const code = modules.flatMap(({ facts }) =>
    facts.environment.flatMap(({ name, isNeeded }) => (isNeeded === 'set' ? [name] : [])),
  );
  const file = shipment.read('.env').matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm);
  return new Set([
    ...shipment.stage().environment.keys(),
    ...started,
    ...code,
    ...[...file].map(([, name = '']) => name),
  ]);
}

function pythonReads({ graph, modules }: LookedApp): Needed[] {
  return modules.flatMap(({ file, facts }) =>
    facts.environment.flatMap(({ name, line, isNeeded }) =>
      isNeeded === 'always' || isNeeded === 'sometimes'
        ? [{ name, file, line, isOptional: isNeeded === 'sometimes' || !graph.isReached }]
        : [],
    ),
  );
}

/** Those that neither the project nor the app has as a secret. Without `app`, only the project may have one. */
export function missingSecrets(needed: readonly Needed[], names: readonly string[], app?: string): SeenCause[] {
  return needed
    .filter(({ name }) => !names.includes(name))
    .map(({ name, file, line, isOptional }) => {
      const other = names.find((each) => each.toLowerCase() === name.toLowerCase());
      const isCertain = !isOptional;
      return say(
        'secret-missing',
        { name, other },
        { isCertain, at: { file, line }, fix: gantryCommand`secrets set ${name} ${{ '--app': app }}` },
      );
    });
}

/** Reads of a variable that other languages than Python cannot go on without. */
const readers: readonly (readonly [files: RegExp, read: RegExp])[] = [
  [/\.rs$/, /\benv::var\(\s*"(?<name>\w+)"\s*\)\s*\.(?:expect|unwrap)\(/g],
  [/\.rb$|(?:^|\/)config\.ru$/, /\bENV\.fetch\(\s*["'](?<name>\w+)["']\s*\)(?!\s*(?:\{|do\b))/g],
  [/\.(?:php|cs)$/, /\b(?:getenv|GetEnvironmentVariable)\(\s*["'](?<name>\w+)["']\s*\)\s*\?[?:]\s*throw\b/g],
  [/\bsrc\/main\/resources\/application\.(?:properties|ya?ml)$/, /\$\{(?<name>[A-Z][A-Z\d_]+)\}/g],
  [
    /(?<!_test)\.go$/,
    /(\w+)\s*:?=\s*os\.Getenv\("(?<name>\w+)"\)\s+if \1 == ""\s*\{\s*(?:\w+\.)?(?:Fatal|panic|Exit|return\b.*(?:Errorf|errors\.New))/g,
  ],
  [
    /(?<!\.d)\.[cm]?[jt]sx?$/,
    /(?:const|let)\s+(?:(\w+)\s*=\s*(?:process|Bun)\.env\.|\{\s*(?=(\w+)\s*\}\s*=\s*(?:process|Bun)\.env;?\s))(?<name>\w+)[\s\S]{0,24}?\s+if\s*\(\s*!(?:\1|\2)\s*\)\s*\{?\s*(?:throw\b|process\.exit)/g,
  ],
];

const readsElsewhere = ({ paths, read }: Shipment): Omit<Needed, 'isOptional'>[] =>
  readers.flatMap(([files, pattern]) =>
    foundInCode(paths, read, files, pattern).map(({ match, line, file }) => ({
      name: match.groups?.name ?? '',
      file,
      line,
    })),
  );

/** Files that say what an app is given. */
const examples = '.env.example .env.sample .env.template env.example compose.yaml docker-compose.yml README.md'.split(
  ' ',
);
const isExample = /(?:^|\/)(?:\.?env\.\w+|(?:docker-)?compose[\w.-]*\.ya?ml|Dockerfile[^/]*|[^/]*\.md)$/;

function namesIn(file: string, { config, exists }: Shipment): string[] {
  const text = exists(file) ? readBytesIfPresent(join(config.root, file))?.toString() : '';
  return text?.match(/\b[A-Z][A-Z\d]*_[A-Z\d_]*[A-Z\d]\b/g) ?? [];
}

/** A variable that the code needs and nothing sets, where one of nearly its name is set, or spoken of, that nothing reads. */
export function* lookAtVariableNames(app: LookedApp): Generator<SeenCause> {
  const { shipment } = app;
  const { needed: python, set } = variablesOf(app);
  const needed = [...python, ...readsElsewhere(shipment)].filter(({ name }) => !set.has(name));
  const spoken = needed.length === 0 ? [] : examples.map((file) => ({ file, names: namesIn(file, shipment) }));
  const image = { file: shipment.dockerfile()?.path ?? 'the start', names: [...set] };
  for (const { name, ...at } of needed) {
    const isSpoken = spoken.some(({ names }) => names.includes(name));
    const likeNames = [image, ...(isSpoken ? [] : spoken)].flatMap(({ file, names }) => {
      const other = nearest(name, names, file === image.file);
      return other === undefined || isRead(other, shipment) ? [] : [{ file, other }];
    });
    const [first] = likeNames;
    const says = first?.file === image.file ? 'sets' : 'names';
    if (first)
      yield say('secret-missing name', { name, file: at.file, where: first.file, says, other: first.other }, { at });
  }
}

/** What libraries and tools read by themselves. */
const ofLibraries =
  /^(?:HF|HUGGING\w*|TRANSFORMERS|TORCH|CUDA|NVIDIA|NCCL|PIP|POETRY|UV|PYTHON|NODE|NPM|YARN|NEXT|RAILS|RACK|BUNDLE|GEM|JAVA|MAVEN|SPRING|DOTNET|ASPNETCORE|GO|CARGO|RUST|LD|LC|XDG|DEBIAN|OMP|MKL|OPENBLAS|TOKENIZERS|VLLM|TRITON|GUNICORN|UVICORN|FLASK|DJANGO|STREAMLIT|GRADIO|AWS|GOOGLE|AZURE|OTEL|SENTRY|DD|MAMBA|CONDA|PLAYWRIGHT|NLTK)_|^PYTHON/;

/** Words that say of what kind a value is, not which. */
const ofKind =
  /^(?:API|APP|DIR|ENV|FILE|HOST|ID|KEY|MAX|MIN|MODE|NAME|PASSWORD|PATH|PORT|SECRET|TIMEOUT|TOKEN|UR[IL]|USER)$/;
const wordsOf = (name: string) => name.replace(/(?<![A-Z])(?:DATABASE|POSTGRES(?:QL)?|PG)(?![A-Z])/g, 'DB').split('_');

/** A name that is near by its letters, or by its words: by one that is not of a kind, if the image sets it. */
function nearest(name: string, names: readonly string[], isSet: boolean): string | undefined {
  const words = wordsOf(name);
  const isNear = (other: string) => {
    const otherWords = wordsOf(other);
    const shared = words.filter((each) => otherWords.includes(each));
    const isPart = shared.length > 1 && shared.length === Math.min(words.length, otherWords.length);
    return isPart || (isSet && shared.some((each) => !ofKind.test(each)));
  };
  return closestName(name, names) ?? names.find((each) => !ofLibraries.test(each) && isNear(each));
}

/** Whether a file of the app may read it: by the name as a word, or as a field of settings with a prefix. */
function isRead(name: string, { paths, read, dockerfile }: Shipment): boolean {
  if (!/^\w+$/.test(name)) return true;
  const words = name.split('_');
  const ends = words.map((_, at) => words.slice(at).join('_').toLowerCase()).join('|');
  const spelt = words.length > 1 ? String.raw`|\b${words.join('[._-]').toLowerCase()}\b` : '';
  const pattern = new RegExp(String.raw`\b${name}\b(?!\s*=[^=])${spelt}`);
  const field = new RegExp(String.raw`^[ \t]{1,16}(?:${ends})[ \t]{0,4}:`, 'm');
  const isSaid = (text: string) => pattern.test(text) || (text.includes('BaseSettings') && field.test(text));
  const files = paths.filter((path) => !isExample.test(path));
  return (
    new RegExp(String.raw`\$\{?${name}\b`).test(dockerfile()?.text ?? '') || files.some((path) => isSaid(read(path)))
  );
}
