import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { isPackage, packageOf } from '../import-names.ts';
import { aptPackages, debianPackageOfProgram } from '../program-packages.ts';
import type { LookedApp } from './looked-app.ts';
import type { Listed, Packages } from './packages.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** Names that are no packages of pip or of Debian, and another name that is. */
export function* lookAtPackageNames({ packages, imported }: LookedApp): Generator<SeenCause> {
  const needed = [...imported()].flatMap((module) => packageOf(module) ?? []);
  for (const named of packages.aptNames) if (isName.test(named.name)) yield* debianName(named);
  for (const listed of packages.listed) {
    const names = [...popular, ...needed.filter((each) => !packages.has(each))];
    if (listed.at && !listed.isElsewhere && !isPackage(listed.name)) yield* pipName(listed, names);
  }
}

const isName = /^[a-z0-9][a-z0-9.+-]+$/;

type PackageName = Packages['aptNames'][number];

/** The languages of Tesseract have three letters of their own. */
const languages = new Map(
  'ger=deu fre=fra dut=nld chi=chi-sim cze=ces gre=ell en=eng de=deu fr=fra es=spa it=ita'
    .split(' ')
    .map((each) => each.split('=') as [string, string]),
);

const stem = (name: string) => name.replace(/[\d.-]+$/, '');

/** Packages of Debian with the name of a program that another package has, too, and groups of names that are not listed here. */
const plausible =
  /^(?:gcc|g\+\+|make|hostname|espeak|ssh|gpg|chromedriver|node|golang)$|-dev$|^(?:tesseract-ocr-|fonts-|python|openjdk)/;

function meantByName(name: string): string | undefined {
  const aptNames = aptPackages();
  const [, language = ''] = groupsOf(/^tesseract-ocr-(\w+)$/, name);
  const ofLanguage = languages.get(language);
  if (ofLanguage) return `tesseract-ocr-${ofLanguage}`;
  // Debian calls headers so; other distributions have the longer word.
  if (/-devel$/.test(name) && name !== 'mono-devel') return name.replace(/el$/, '');
  return aptNames.has(name) || plausible.test(name) ? undefined : meantInDebian(name, aptNames);
}

const trixie =
  /^(?:docker\.io\/)?(?:library\/)?(?:python:(?:latest|slim|3|3-slim|3\.(?:9|1[0-4])(?:-slim)?)|debian:(?:13|stable|latest)\b.*)$|trixie/;
const debianAndUbuntu = new RegExp(`${trixie.source}|ubuntu:?24|noble|ubuntu:latest`);

/** What newer systems do not have any more, and what they have instead. */
const gone: Readonly<Record<string, readonly [from: RegExp, instead: string | undefined]>> = {
  'libgl1-mesa-glx': [debianAndUbuntu, 'libgl1'],
  'libegl1-mesa': [debianAndUbuntu, 'libegl1'],
  'python3-distutils': [debianAndUbuntu, 'python3-setuptools'],
  'software-properties-common': [trixie, undefined],
};

/** What newer systems have instead of a package. */
export const insteadOf = (name: string): string | undefined =>
  Object.hasOwn(gone, name) ? gone[name]?.[1] : undefined;

function* debianName({ name, at, base }: PackageName): Generator<SeenCause> {
  const [from, instead] = (Object.hasOwn(gone, name) && gone[name]) || [];
  if (from?.test(base)) yield say('apt-package-not-found gone', { package: name, base, instead }, { at });
  const meant = meantByName(name);
  if (meant !== undefined && meant !== name)
    yield say('apt-package-not-found', { package: name, meant, key: at.setting && meant }, { at });
}

/** The package of a program, a library with its number, or a name that is nearly the same. */
function meantInDebian(name: string, aptNames: ReadonlySet<string>): string | undefined {
  const plain = (each: string) => each.replace(/[-.]/g, '');
  if (/\d/.test(name)) return [...aptNames].find((each) => plain(each) === plain(name));
  const similar = [...aptNames].filter((each) => each.length > 4 && !/\d/.test(each));
  const library = [...aptNames].find((each) => stem(each) === name);
  return debianPackageOfProgram(name) ?? library ?? closestName(name, similar);
}

/** Packages of their own, with the name of a module that a better known package has, and a call that only that one knows. */
const namesakes = new Map([
  ['jwt', ['pyjwt', 'jwt.encode', 'jwt.decode']],
  ['dotenv', ['python-dotenv', 'dotenv.load_dotenv']],
  ['docx', ['python-docx', 'docx.Document']],
  ['deepgram', ['deepgram-sdk', 'deepgram.DeepgramClient']],
  ['opencv', ['opencv-python', 'cv2.imread', 'cv2.imdecode', 'cv2.VideoCapture', 'cv2.cvtColor', 'cv2.resize']],
  ['websocket', ['websocket-client', 'websocket.WebSocket', 'websocket.WebSocketApp', 'websocket.create_connection']],
  ['magic', ['python-magic', 'magic.from_buffer', 'magic.from_file']],
  ...'serial bs4 hnswlib slugify pandoc py google haystack progressbar usb attr'
    .split(' ')
    .map((name): [string, string[]] => [name, []]),
]);

/** The package of a module whose name is taken for that of a package: `opencv-python` for `cv2`. */
function packageOfModule(name: string): string | undefined {
  const owner = namesakes.has(name)
    ? undefined
    : (packageOf(name.replaceAll('-', '_')) ?? packageOf(name.toUpperCase()));
  return owner === undefined || owner === name || owner.startsWith(`${name}-`) ? undefined : owner;
}

function* pipName({ name, wanted, at }: Listed, names: readonly string[]): Generator<SeenCause> {
  const facts = { package: name, own: packageOfModule(name), similar: closestName(name, names) };
  if (ofSpacy.test(name) && wanted !== '')
    yield say('package-not-found spacy', { ...facts, model: name.replaceAll('-', '_') }, { at });
  else if (aptPackages().has(name) || name.startsWith('tesseract-ocr'))
    yield say('package-not-found debian', facts, { at, isCertain: /^lib|-/.test(name) });
  else if (facts.own !== undefined) yield say('package-not-found module', facts, { at });
  else if (facts.similar !== name && facts.similar !== undefined) yield say('package-not-found like', facts, { at });
}

const ofSpacy = /^[a-z]{2}-(?:core|dep|ent)-(?:web|news|sci|wiki)-(?:sm|md|lg|trf)$/;

/** Packages that many install: of a name that is nearly one of these, it is meant. */
const popular =
  'transformers diffusers tensorflow torchvision torchaudio accelerate fastapi uvicorn gunicorn requests matplotlib opencv-python scikit-learn sentence-transformers beautifulsoup4 sqlalchemy pydantic langchain pytesseract playwright selenium psycopg2-binary huggingface-hub gradio streamlit'.split(
    ' ',
  );
