import { posix } from 'node:path';
import { isCpuOnly } from '../../app/hardware.ts';
import { packageOf } from '../import-names.ts';
import { debianPackageOfProgram } from '../program-packages.ts';
import type { LookedApp, ModuleCall } from './looked-app.ts';
import type { Listed, Packages } from './packages.ts';
import { noProgram, type SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { librariesOf, optionalPackages, programsOf } from './tables.ts';

/** Programs, libraries, browsers and models that packages or the code load, and that the image does not have. */
export function* lookAtSystem(app: LookedApp): Generator<SeenCause> {
  const { shipment, packages } = app;
  yield* optionalMissing(app);
  yield* gpuMissing(app);
  if (!isBare(shipment, packages)) return;
  const used = new Set([...app.imported()].flatMap((each) => [packageOf(each) ?? '', each.split('.')[0] ?? '']));
  for (const each of packages.listed) {
    yield* programOf(each, used, packages);
    yield* libraryOf(each, used, packages);
  }
  const asked = app.calls().flatMap(programAsked);
  for (const call of app.calls()) {
    if (!asked.includes(programIn(call))) yield* startedProgram(call, packages);
    yield* model(call, app);
  }
}

/** Packages that only some calls of another package need. */
function* optionalMissing({ packages, modules }: LookedApp): Generator<SeenCause> {
  const open = packages.all().isWhole ? optionalPackages() : [];
  for (const each of open.filter(({ packages: needed }) => !needed.some((one) => hasLike(one, packages))))
    for (const { file, facts } of modules) {
      const used = [
        ...facts.imports.flatMap(({ module, name, line, isNeeded }) =>
          isNeeded === 'guarded' ? [] : [{ name: `${module}.${name}`, line }],
        ),
        ...facts.calls,
      ].find(({ name }) => each.name.test(name));
      const [first = ''] = each.packages;
      if (!used) continue;
      yield {
        cause: 'module-missing',
        captured: { module: first, package: first },
        at: { file, line: used.line },
        title: `${used.name} needs ${first}, and nothing installs it`,
        fix: packages.fixOf(first),
      };
      break;
    }
}

const hasLike = (name: string, packages: Packages) =>
  [...packages.all().names].some((each) => each === name || each.startsWith(`${name}-`));

/** Whether it is known what the image has: one of a system, without more. */
function isBare(shipment: Shipment, packages: Packages): boolean {
  const own = shipment.config.deployment.docker_base_image_url;
  const base = shipment.isDocker ? (shipment.dockerfile()?.stage.base ?? '') : (own ?? 'debian:bookworm-slim');
  return !packages.isOtherImage && /slim|^ubuntu|^debian|^nvidia\/cuda/.test(base);
}

const isUsed = (name: string, used: ReadonlySet<string>) =>
  used.has(name) ||
  used.has(name.replaceAll('-', '_')) ||
  (name.startsWith('opencv-') && used.has('cv2')) ||
  used.has(name.replace(/^openai-/, ''));

/** Whether apt brings a program: by the name of its package, or by that of one that begins with it or with the program's. */
const hasProgram = ({ apt }: Packages, program: string, debian: string) =>
  [...apt].some((each) => [program, debian].some((name) => each === name || each.startsWith(`${name}-`)));

function* programOf({ name, at }: Listed, used: ReadonlySet<string>, packages: Packages): Generator<SeenCause> {
  const program = programsOf.get(name) ?? '';
  const debian = debianPackageOfProgram(program);
  if (debian === undefined || !isUsed(name, used) || hasProgram(packages, program, debian)) return;
  yield noProgram(program, at, `${name} starts ${program}, and no apt package brings it`, packages.aptFixOf(debian));
}

function* libraryOf({ name, at }: Listed, used: ReadonlySet<string>, packages: Packages): Generator<SeenCause> {
  const libraries = librariesOf.get(name) ?? [];
  const [first] = libraries;
  const isBrought = libraries.some((each) => packages.apt.has(each) || (each !== name && packages.has(each)));
  if (first === undefined || !isUsed(name, used) || isBrought) return;
  yield {
    cause: 'shared-library-missing',
    captured: { library: first.replace(/[\d.-]+$/, ''), package: first },
    at,
    title: `${name} loads a library of ${first}, and no apt package brings it`,
    fix: packages.aptFixOf(first),
  };
}

/** Calls that start a program. */
export const startsProcess =
  /^(?:subprocess\.(?:run|Popen|call|check_call|check_output)|os\.(?:system|popen)|asyncio\.create_subprocess_(?:exec|shell))$/;

const programIn = ({ arguments: [text = ''] }: ModuleCall) => posix.basename(text.split(/\s+/)[0] ?? '');

/** A program that the code looks for before it starts it. */
const programAsked = (call: ModuleCall) => (call.name === 'shutil.which' ? programIn(call) : []);

function* startedProgram(call: ModuleCall, packages: Packages): Generator<SeenCause> {
  const program = startsProcess.test(call.name) && !call.isTried ? programIn(call) : '';
  const debian = program === '' ? undefined : debianPackageOfProgram(program);
  if (debian === undefined || /^python|^pip/.test(program) || hasProgram(packages, program, debian)) return;
  const { file, line } = call;
  yield noProgram(
    program,
    { file, line },
    `${file} starts it, and no apt package brings it`,
    packages.aptFixOf(debian),
  );
}

/** Models of spaCy are packages. */
function* model(
  { name, arguments: [text = ''], file, line }: ModuleCall,
  { shipment, packages }: LookedApp,
): Generator<SeenCause> {
  if (name !== 'spacy.load' || !/^[a-z]{2}_\w+_(?:sm|md|lg|trf)$/.test(text) || packages.has(text.replaceAll('_', '-')))
    return;
  if (shipment.buildTexts().some((each) => each.includes(text))) return;
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
function* gpuMissing({ shipment, calls: all }: LookedApp): Generator<SeenCause> {
  const { hardware } = shipment.config;
  const calls = all();
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
