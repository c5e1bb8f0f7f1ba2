import { posix } from 'node:path';
import { isCpuOnly } from '../../app/hardware.ts';
import type { PythonCall, PythonFacts } from '../../app/python/facts.ts';
import { fits } from '../groups.ts';
import { packageOf } from '../import-names.ts';
import { debianPackageOfProgram } from '../program-packages.ts';
import type { ModuleGraph } from './modules.ts';
import { lineWith } from './package-files.ts';
import type { Listed, Packages } from './packages.ts';
import { contradicts } from './python.ts';
import { noProgram, type SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { isBroughtByOthers, librariesOf, optionalPackages, programsOf } from './tables.ts';

/** Programs, libraries, browsers and models that packages or the code load, and that the image does not have. */
export function* lookAtSystem(shipment: Shipment, packages: Packages, graph: ModuleGraph): Generator<SeenCause> {
  yield* optionalMissing(shipment, packages, graph);
  yield* gpuMissing(shipment, graph);
  if (!isBare(shipment, packages)) return;
  const fixOf = (name: string) =>
    shipment.isDocker
      ? `RUN apt-get update && apt-get install -y ${name}`
      : `add ${name} to [cerebrium.dependencies.apt]: ${name} = "latest"`;
  const modules = [...graph.modules.values()];
  const imported = new Set(modules.flatMap(({ facts }) => facts.imports.map(({ module }) => module)));
  const used = new Set([...imported].flatMap((each) => [packageOf(each) ?? '', each.split('.')[0] ?? '']));
  for (const each of packages.listed) {
    yield* programOf(each, used, packages, fixOf);
    yield* libraryOf(each, used, packages, fixOf);
  }
  for (const { file, facts } of modules)
    for (const call of facts.calls) {
      yield* startedProgram(call, file, packages, fixOf);
      yield* model(call, file, shipment, packages);
    }
}

/** Packages that only some calls of another package need. */
function* optionalMissing(shipment: Shipment, packages: Packages, graph: ModuleGraph): Generator<SeenCause> {
  const isOpen = packages.hasOthers || packages.unknown().some(({ extras }) => extras.length > 0);
  const open = isOpen ? [] : optionalPackages().filter((each) => isMissing(each, packages));
  const places = open.length > 0 ? [...variablesSet(shipment), ...graph.modules.values()] : [];
  const said = new Set<string>();
  for (const { file, facts } of places)
    for (const each of open) {
      const [first = ''] = each.packages;
      const found = said.has(first) ? undefined : needing(facts, each);
      const [other] = packages.unknown();
      if (!found || fits(turnsOff, shipment.text(file)?.split('\n')[found.line - 1])) continue;
      said.add(first);
      yield {
        cause: 'module-missing',
        captured: { module: first, package: first },
        at: { file, line: found.line },
        title: `${found.what} needs ${first}, and nothing installs it`,
        why: other && `it is not listed, unless ${other.name} brings it`,
        fix: packages.fixOf(first),
      };
    }
}

/** A variable that is set to nothing. */
const turnsOff = /environ\b.*["'](?:0|false|no)?["']\)?\s*$/i;

type Optional = ReturnType<typeof optionalPackages>[number];

function isMissing({ owner, bound, packages: needed }: Optional, packages: Packages): boolean {
  const wanted = owner === undefined ? undefined : packages.wanted(owner);
  const isOther = owner !== undefined && (wanted === undefined || contradicts(wanted, bound));
  return !isOther && !needed.some((one) => hasOrMay(one, packages, owner));
}

/** A package that is not known may bring what others bring; what versions of its owner need, only these brought. */
const hasOrMay = (name: string, packages: Packages, owner: string | undefined) =>
  [...packages.all().names].some((each) => each === name || each.startsWith(`${name}-`)) ||
  (owner === undefined && packages.unknown().length > 2 && isBroughtByOthers(name));

type Said = Pick<PythonFacts, 'imports' | 'calls' | 'texts'>;

/** What a Dockerfile sets, as texts. */
function variablesSet(shipment: Shipment): { file: string; facts: Said }[] {
  const { path: file = '', stage } = shipment.dockerfile() ?? {};
  return [...(stage?.environment ?? [])].map(([name, value]) => {
    const text = `${name}=${value}`;
    const line = lineWith(shipment.read(file), name) ?? 1;
    return { file, facts: { imports: [], calls: [], texts: [{ value: text, line }] } };
  });
}

type Needing = { what: string; line: number } | undefined;

function needing(said: Said, row: Optional): Needing {
  const { isText, given, name: pattern } = row;
  const text = isText ? said.texts.find(({ value }) => pattern.test(value)) : undefined;
  if (isText) return text && { what: text.value.replace(/:\/\/.*/, '://'), line: text.line };
  const imported = given
    ? undefined
    : said.imports.find(({ module, name, isNeeded }) => isNeeded !== 'guarded' && pattern.test(`${module}.${name}`));
  return imported ? { what: `${imported.module}.${imported.name}`, line: imported.line } : calledBy(said, row);
}

function calledBy({ calls }: Said, { isMember, name, given }: Optional): Needing {
  const called = calls.find((call) => name.test(call.name) && (!given || withGiven(call, given) !== undefined));
  const what = isMember ? called?.name.replace(/^.*\./, '') : called?.name;
  return called && { what: `${what}${given ? ` with ${withGiven(called, given)}` : ''}`, line: called.line };
}

/** The text or the keyword that a call has: not one that turns it off. */
const withGiven = ({ arguments: texts, keywords }: PythonCall, given: RegExp) =>
  [...Object.entries(keywords).flatMap(([key, text]) => (text === 'False' ? [] : [key, text])), ...texts].find(
    (each) => each !== undefined && given.test(each),
  );

/** Whether it is known what the image has: one of a system, without more. */
function isBare(shipment: Shipment, packages: Packages): boolean {
  const own = shipment.config.deployment.docker_base_image_url;
  const base = shipment.isDocker ? (shipment.dockerfile()?.stage.base ?? '') : (own ?? 'debian:bookworm-slim');
  return !packages.isOtherImage && /slim|^ubuntu|^debian|^nvidia\/cuda/.test(base);
}

type FixOf = (name: string) => string;

const isUsed = (name: string, used: ReadonlySet<string>) =>
  used.has(name) ||
  used.has(name.replaceAll('-', '_')) ||
  (name.startsWith('opencv-') && used.has('cv2')) ||
  used.has(name.replace(/^openai-/, ''));

/** Whether apt brings a program: by the name of its package, or by that of one that begins with it or with the program's. */
const hasProgram = ({ apt }: Packages, program: string, debian: string) =>
  [...apt].some((each) => [program, debian].some((name) => each === name || each.startsWith(`${name}-`)));

function* programOf(
  { name, at }: Listed,
  used: ReadonlySet<string>,
  packages: Packages,
  fixOf: FixOf,
): Generator<SeenCause> {
  const program = programsOf.get(name) ?? '';
  const debian = debianPackageOfProgram(program);
  if (debian === undefined || !isUsed(name, used) || hasProgram(packages, program, debian)) return;
  yield noProgram(program, at, `${name} starts ${program}, and no apt package brings it`, fixOf(debian));
}

function* libraryOf(
  { name, at }: Listed,
  used: ReadonlySet<string>,
  packages: Packages,
  fixOf: FixOf,
): Generator<SeenCause> {
  const libraries = librariesOf.get(name) ?? [];
  const [first] = libraries;
  if (
    first === undefined ||
    !isUsed(name, used) ||
    libraries.some((each) => packages.apt.has(each) || (each !== name && packages.has(each)))
  )
    return;
  yield {
    cause: 'shared-library-missing',
    captured: { library: first.replace(/[\d.-]+$/, ''), package: first },
    at,
    title: `${name} loads a library of ${first}, and no apt package brings it`,
    fix: fixOf(first),
  };
}

/** Calls that start a program. */
export const startsProcess =
  /^(?:subprocess\.(?:run|Popen|call|check_call|check_output)|os\.(?:system|popen)|asyncio\.create_subprocess_(?:exec|shell))$/;

function* startedProgram(call: PythonCall, file: string, packages: Packages, fixOf: FixOf): Generator<SeenCause> {
  const program = startsProcess.test(call.name) ? posix.basename(call.arguments[0]?.split(/\s+/)[0] ?? '') : '';
  const debian = program === '' ? undefined : debianPackageOfProgram(program);
  if (debian === undefined || /^python|^pip/.test(program) || hasProgram(packages, program, debian)) return;
  const at = { file, line: call.line };
  yield noProgram(program, at, `${file} starts it, and no apt package brings it`, fixOf(debian));
}

/** Models of spaCy are packages. */
function* model(
  { name, arguments: [text = ''], line }: PythonCall,
  file: string,
  shipment: Shipment,
  packages: Packages,
): Generator<SeenCause> {
  if (name !== 'spacy.load' || !/^[a-z]{2}_\w+_(?:sm|md|lg|trf)$/.test(text) || packages.has(text.replaceAll('_', '-')))
    return;
  if (shipment.buildCommands().some(({ words }) => words.join(' ').includes(text))) return;
  yield {
    cause: 'data-missing',
    severity: packages.hasOthers ? 'warning' : 'error',
    at: { file, line },
    title: `nothing installs ${text}, which ${file} loads`,
    fix: `run python -m spacy download ${text} in shell_commands`,
  };
}

const isCuda = (text = '') => /^cuda(?::\d)?$/.test(text);

/** Code that goes to a GPU without asking whether there is one, in an app that has none or fewer. */
function* gpuMissing({ config: { hardware } }: Shipment, { modules }: ModuleGraph): Generator<SeenCause> {
  const calls = [...modules.values()].flatMap(({ file, facts }) => facts.calls.map((call) => ({ ...call, file })));
  const isAsked = calls.some(({ name }) => /(?:^|\.)(?:is_available|device_count)$/.test(name));
  const isCpu = isCpuOnly(hardware.compute) && !isAsked;
  const used = calls.find(
    ({ name, arguments: [first], keywords }) =>
      /^vllm\.LLM$|\w\.cuda$/.test(name) ||
      (/(?:^|\.)(?:to|device)$/.test(name) && isCuda(first)) ||
      isCuda(keywords.device),
  );
  const gpus = hardware.gpu_count ?? 1;
  const wide = calls.find(({ name, keywords }) => name === 'vllm.LLM' && Number(keywords.tensor_parallel_size) > gpus);
  if (isCpu && used)
    yield {
      cause: 'gpu-driver-missing',
      at: used,
      title: `${used.file} uses a GPU, and compute is CPU`,
      fix: 'compute = "AMPERE_A10"',
    };
  else if (wide)
    yield {
      cause: 'gpu-count-too-low',
      at: wide,
      title: `${wide.file} takes ${wide.keywords.tensor_parallel_size} GPUs, and gpu_count is ${gpus}`,
      fix: `gpu_count = ${wide.keywords.tensor_parallel_size}`,
    };
}
