import { posix } from 'node:path';
import { isCpuOnly } from '../../app/hardware.ts';
import type { PythonCall, PythonFacts } from '../../app/python/facts.ts';
import { fits } from '../groups.ts';
import { packageOf } from '../import-names.ts';
import { debianPackageOfProgram } from '../program-packages.ts';
import type { ModuleGraph } from './modules.ts';
import { lineWith } from './package-files.ts';
import type { Listed, Packages } from './packages.ts';
import { otherIndexes } from './pins.ts';
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
    if (!otherIndexes(shipment, packages).length) yield* compiler(each, packages, fixOf);
  }
  yield* browserLibraries(shipment, packages, fixOf);
  yield* chrome(shipment, packages, graph, fixOf);
  for (const { file, facts } of modules)
    for (const call of facts.calls) {
      yield* startedProgram(call, file, packages, fixOf);
      yield* model(call, file, shipment, packages);
      yield* corpus(call, file, shipment, graph);
    }
  if (!shipment.isDocker && [...imported].some((each) => /^playwright\b/.test(each))) yield* browser(shipment, graph);
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

/** Packages without wheels for Linux, of compiled code. */
const onlySources =
  /^(?:llama-cpp-python|dlib|fasttext|pygraphviz|python-ldap|uwsgi|pyaudio|annoy|hnswlib|webrtcvad|insightface|pesq|pyworld|scikit-surprise|pycld2|box2d-py|pycairo|mysqlclient|lightfm|netifaces)$/;

function* compiler({ name, at, wanted }: Listed, { apt }: Packages, fixOf: FixOf): Generator<SeenCause> {
  const has = [...apt].some((each) => /^(?:gcc|g\+\+|clang|build-(?:essential|base)|cuda-toolkit)/.test(each));
  if (!onlySources.test(name) || has || wanted.includes('://')) return;
  yield {
    cause: 'compiler-missing',
    captured: { built: name, tool: 'gcc' },
    at,
    fix: fixOf('build-essential'),
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

/** Playwright has no browser of its own. */
function* browser(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const install = shipment.buildCommands().find(({ words }) => words.join(' ').startsWith('playwright install'));
  const user = [...graph.modules.values()].find(({ facts }) =>
    facts.imports.some(({ module }) => /^playwright\b/.test(module)),
  );
  const line = user?.facts.imports.find(({ module }) => /^playwright\b/.test(module))?.line;
  if (!install && user)
    yield {
      cause: 'browser-missing',
      at: { file: user.file, line },
      why: 'no command of the build installs it',
    };
  const why = 'pre_build_commands run before the packages are installed';
  if (install?.at.setting === 'deployment.pre_build_commands')
    yield { ...noProgram('playwright', install.at, why, 'move it to shell_commands'), severity: 'error' };
}

const ofBrowser = /^(?:libnss3|libnspr4|chromium|google-chrome\S*)$/;

/** Selenium fetches a browser, and not the libraries that it loads. */
function* chrome(shipment: Shipment, { apt }: Packages, graph: ModuleGraph, fixOf: FixOf): Generator<SeenCause> {
  const texts = [
    ...apt,
    shipment.dockerfile()?.text ?? '',
    ...shipment.buildCommands().map(({ words }) => words.join(' ')),
  ];
  if (texts.some((each) => /chrom|libnss3/i.test(each))) return;
  for (const { file, facts } of graph.modules.values())
    for (const { line } of facts.calls.filter(({ name }) => name === 'selenium.webdriver.Chrome'))
      yield {
        cause: 'browser-missing',
        at: { file, line },
        title: `${file} starts Chrome, and no command of the build installs it`,
        fix: fixOf('chromium-driver'),
      };
}

/** Browsers need libraries that small images do not have. */
function* browserLibraries(shipment: Shipment, { apt }: Packages, fixOf: FixOf): Generator<SeenCause> {
  const texts = shipment.buildCommands().map(({ words, at }) => ({ text: words.join(' '), at }));
  const found = texts.find(({ text }) => /playwright install(?! .*--with-deps)(?!-deps)/.test(text));
  if (
    !found ||
    texts.some(({ text }) => /install-deps|--with-deps/.test(text)) ||
    [...apt].some((each) => ofBrowser.test(each))
  )
    return;
  yield {
    cause: 'shared-library-missing',
    captured: { library: 'libnss3', package: 'libnss3' },
    at: found.at,
    title: 'the browser of Playwright needs libraries, and nothing installs them',
    fix: shipment.isDocker ? 'playwright install --with-deps chromium' : fixOf('libnss3'),
  };
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

/** What NLTK reads from its own folder, by the call. */
const corpora: readonly (readonly [call: RegExp, name: string])[] = [
  [/^nltk\.(?:tokenize\.)?(?:word|sent)_tokenize$/, 'punkt_tab'],
  [/^nltk\.(?:tag\.)?pos_tag$/, 'averaged_perceptron_tagger_eng'],
  [/^nltk\.corpus\.stopwords\.words$/, 'stopwords'],
  [/^nltk\.(?:stem\.)?(?:wordnet\.)?WordNetLemmatizer$/, 'wordnet'],
];

function* corpus(
  { name, line }: PythonCall,
  file: string,
  shipment: Shipment,
  graph: ModuleGraph,
): Generator<SeenCause> {
  const [, data] = corpora.find(([call]) => call.test(name)) ?? [];
  if (data === undefined) return;
  const calls = [...graph.modules.values()].flatMap(({ facts }) => facts.calls);
  const isThere = calls.some((each) => /^nltk\.(?:download$|data\.path)/.test(each.name));
  const texts = [...shipment.buildCommands().map(({ words }) => words.join(' ')), ...shipment.paths];
  if (isThere || texts.some((each) => /nltk/i.test(each)) || shipment.dockerfile()?.stage.environment.has('NLTK_DATA'))
    return;
  yield { cause: 'data-missing', captured: { name: data }, at: { file, line } };
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
