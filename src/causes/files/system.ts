import { posix } from 'node:path';
import { isCpuOnly } from '../../app/hardware.ts';
import { flagOf } from '../../app/shell.ts';
import { packageOf } from '../import-names.ts';
import { debianPackageOfProgram } from '../program-packages.ts';
import { type Look, type LookedApp, lookAtEach, type ModuleCall } from './looked-app.ts';
import type { Listed, Packages } from './packages.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { librariesOf, optionalPackages, startedBy } from './tables.ts';

/** Programs, libraries, browsers and models that packages or the code load, and that the image does not have. */
export function* lookAtSystem(app: LookedApp): Generator<SeenCause> {
  const { shipment, packages } = app;
  yield* optionalMissing(app);
  yield* gpuMissing(app);
  if (!isBare(shipment, packages)) return;
  const used = new Set([...app.imported()].flatMap((each) => [packageOf(each) ?? '', each.split('.')[0] ?? '']));
  const listed = packages.listed.filter(({ name }) => isUsed(name, used));
  yield* lookAtEach(listed, app, [programOf, libraryOf]);
  yield* lookAtEach(app.calls(), app, [startedProgram, model]);
}

/** Packages that only some calls of another package need. */
function* optionalMissing({ packages, modules }: LookedApp): Generator<SeenCause> {
  const uses = modules.flatMap(({ file, facts }) => [
    ...facts.imports
      .filter(({ isNeeded }) => isNeeded !== 'guarded')
      .map(({ module, name, line }) => ({ name: `${module}.${name}`, at: { file, line } })),
    ...facts.calls.flatMap(({ name, keywords, line }) =>
      [name, ...Object.keys(keywords).map((each) => `${name}.${each}`)].map((each) => ({
        name: each,
        at: { file, line },
      })),
    ),
  ]);
  for (const [pattern, needed] of packages.all().isWhole ? optionalPackages : []) {
    const use = uses.find(({ name }) => new RegExp(pattern).test(name));
    const [module = ''] = needed;
    if (use && !needed.some((each) => hasLike(each, packages)))
      yield say('module-missing called', { module, name: use.name }, { at: use.at, fix: packages.fixOf(module) });
  }
}

const hasLike = (name: string, packages: Packages) =>
  [...packages.all().names].some((each) => each === name || each.startsWith(`${name}-`));

/** Whether it is known what the image has: one of a system, without more. */
const isBare = (shipment: Shipment, packages: Packages): boolean =>
  !packages.isOtherImage && /slim|^ubuntu|^debian|^nvidia\/cuda/.test(shipment.stage().base);

const isUsed = (name: string, used: ReadonlySet<string>) =>
  used.has(name) ||
  used.has(name.replaceAll('-', '_')) ||
  (name.startsWith('opencv-') && used.has('cv2')) ||
  used.has(name.replace(/^openai-/, ''));

/** Whether apt brings a program: by the name of its package, or by that of one that begins with it or with the program's. */
const hasProgram = ({ apt }: Packages, program: string, debian: string) =>
  [...apt].some((each) => [program, debian].some((name) => each === name || each.startsWith(`${name}-`)));

const programOf: Look<Listed> = ({ name }, { packages }) => {
  const [program = ''] = [...startedBy].find(([, names]) => names.includes(name)) ?? [];
  const debian = debianPackageOfProgram(program);
  return debian === undefined || hasProgram(packages, program, debian)
    ? undefined
    : say('command-not-found package', { command: program, package: name }, { fix: packages.aptFixOf(debian) });
};

const libraryOf: Look<Listed> = ({ name }, { packages }) => {
  const libraries = librariesOf.get(name) ?? [];
  const [first] = libraries;
  const isBrought = libraries.some((each) => packages.apt.has(each) || (each !== name && packages.has(each)));
  if (first === undefined || isBrought) return undefined;
  const facts = { library: first.replace(/[\d.-]+$/, ''), package: first, name };
  return say('shared-library-missing', facts, { fix: packages.aptFixOf(first) });
};

/** Calls that start a program. */
export const startsProcess =
  /^(?:subprocess\.(?:run|Popen|call|check_call|check_output)|os\.(?:system|popen)|asyncio\.create_subprocess_(?:exec|shell))$/;

const programIn = ({ arguments: [text = ''] }: ModuleCall) => posix.basename(text.split(/\s+/)[0] ?? '');

/** Whether the code looks for a program before it starts it. */
const isAsked = (program: string, { calls }: LookedApp) =>
  calls().some((call) => call.name === 'shutil.which' && programIn(call) === program);

const startedProgram: Look<ModuleCall> = (call, app) => {
  const program = startsProcess.test(call.name) && !call.isTried ? programIn(call) : '';
  const debian = program === '' || isAsked(program, app) ? undefined : debianPackageOfProgram(program);
  if (debian === undefined || /^python|^pip/.test(program) || hasProgram(app.packages, program, debian))
    return undefined;
  return say(
    'command-not-found code',
    { command: program, file: call.at.file },
    { fix: app.packages.aptFixOf(debian) },
  );
};

/** Models of spaCy are packages. */
const model: Look<ModuleCall> = ({ name, arguments: [text = ''], at }, { shipment, packages }) => {
  const isModel = name === 'spacy.load' && /^[a-z]{2}_\w+_(?:sm|md|lg|trf)$/.test(text);
  const isThere = packages.has(text.replaceAll('_', '-')) || shipment.buildTexts().some((each) => each.includes(text));
  return isModel && !isThere
    ? say('data-missing', { model: text, file: at.file }, { isCertain: !packages.hasOthers })
    : undefined;
};

const isCuda = (text = '') => /^cuda(?::\d)?$/.test(text);

const usesGpu = ({ name, arguments: [first], keywords }: ModuleCall) =>
  /^vllm\.LLM$|\.cuda$/.test(name) || (/(?:^|\.)(?:to|device)$/.test(name) && isCuda(first)) || isCuda(keywords.device);

/** What goes to GPUs, and how many it takes: calls, and the command of vLLM, unless an image may have its build for CPUs. */
const gpuUses = ({ shipment, calls }: LookedApp) => [
  ...calls()
    .filter(usesGpu)
    .map(({ keywords, at }) => ({ at, size: keywords.tensor_parallel_size, file: at.file })),
  ...shipment.stages
    .filter(({ base }) => /^(?:docker\.io\/)?vllm\/vllm-openai(?::(?!.*cpu)|$)/.test(base))
    .map(({ base, line }) => ({ at: { file: shipment.dockerfile()?.path ?? '', line }, size: undefined, file: base })),
  ...shipment
    .servers()
    .filter(({ program }) => program === 'vllm' && !shipment.isDocker)
    .map(({ words, at }) => ({ at, size: flagOf(words, '--tensor-parallel-size', '-tp'), file: 'the command' })),
];

/** What goes to a GPU without asking whether there is one, in an app that has none or fewer. */
function* gpuMissing(app: LookedApp): Generator<SeenCause> {
  const { hardware } = app.shipment.config;
  const isAsked = app.calls().some(({ name }) => /(?:^|\.)(?:is_available|device_count)$/.test(name));
  const gpus = hardware.gpu_count ?? 1;
  const uses = gpuUses(app);
  const [used] = isCpuOnly(hardware.compute) && !isAsked ? uses : [];
  const wide = uses.find(({ size }) => Number(size) > gpus);
  if (used) yield say('gpu-driver-missing', { file: used.file }, { at: used.at });
  else if (wide) yield say('gpu-count-too-low', { file: wide.file, size: wide.size, gpus }, { at: wide.at });
}
