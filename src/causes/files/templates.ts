import { posix } from 'node:path';
import { matchesIn } from '../../kernel/groups.ts';
import type { LookedApp, ModuleCall } from './looked-app.ts';
import { isBuilt } from './opened.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

const renders = /(?:^|\.)(?:render_template|TemplateResponse|get_template|render_to_string|render)$/;
/** What has templates that are no files of a folder here. */
const otherLoaders = /(?:^|\.)(?:DictLoader|FunctionLoader|PrefixLoader|ModuleLoader|BaseLoader)$/;
const isTemplate = /^[\w./-]+\.(?:html?|j2|jinja2?|txt|xml|md|tmpl)$/;

const saysFolder = ({ name, keywords }: ModuleCall) => 'template_folder' in keywords || /Loader$/.test(name);

type TemplatePlace = { name: string; file: string; line: number };

/** Templates and folders of them that Python names and the app does not have. */
export function* lookAtTemplates(app: LookedApp): Generator<SeenCause> {
  const { shipment } = app;
  const calls = app.calls();
  yield* foldersNamed(calls, shipment);
  const rendered = calls.filter(({ name, isTried }) => renders.test(name) && !isTried);
  if (rendered.length === 0 || calls.some(({ name }) => otherLoaders.test(name))) return;
  const files = [...new Set(shipment.stage().files.values())];
  const templates = files.filter((path) => /\.(?:html?|j2|jinja2?)$|(?:^|\/)templates\//.test(path)).slice(0, 100);
  const given = rendered.flatMap(({ at, arguments: texts, keywords }) =>
    [...texts, keywords.name].map((name = '') => ({ name, ...at })),
  );
  const named = [
    ...given.filter(({ name }) => isTemplate.test(name)),
    ...templates.flatMap((file) => namedIn(file, shipment.read(file))),
  ];
  // Flask has them in one folder, unless it is told of another.
  const isOfFlask = rendered.every(({ name }) => name === 'flask.render_template') && !calls.some(saysFolder);
  const places = isOfFlask ? files.filter((path) => /(?:^|\/)templates\//.test(path)) : files;
  for (const each of named) if (!isThere(each.name, places) && isOwn(each.name, files)) yield absent(each, shipment);
}

const names = /\{%-?\s*(?:extends|include|import|from)\s+["']([\w./-]+)["'](?!\s+ignore missing)/g;
const namedIn = (file: string, text: string): TemplatePlace[] =>
  matchesIn(text, names).map(({ match: [, name = ''], line }) => ({ name, file, line }));
const isThere = (name: string, files: readonly string[]) => files.some((path) => `/${path}`.endsWith(`/${name}`));

/** Templates that packages bring, and that an app replaces some of. */
const ofPackages =
  /^(?:admin|registration|account|socialaccount|security|rest_framework|wagtail\w*|crispy\w*|bootstrap\w*|django\w*|flask_\w+|unfold|cms|\w+_(?:provider|toolbar|factor))\//;

const isOwn = (name: string, files: readonly string[]) =>
  !ofPackages.test(name) &&
  (!name.includes('/') || files.some((path) => `/${path}`.includes(`/${name.split('/')[0]}/`)));

function absent({ name, ...at }: TemplatePlace, shipment: Shipment): SeenCause {
  const all = [...shipment.paths, ...shipment.unsent];
  const other = all.find((path) => posix.basename(path) === posix.basename(name));
  return say('file-not-found template', { path: name, file: at.file, place: placeOf(shipment), other }, { at });
}

const makesFolder = /(?:^|\.)(?:mkdir|makedirs|copytree)$/;

/** The folder that must be there when StaticFiles is made. */
function servedBy({
  name,
  arguments: [first = ''],
  keywords: { check_dir, directory = first },
}: ModuleCall): string | undefined {
  const isServed = /(?:^|\.)StaticFiles$/.test(name) && check_dir === undefined && /^\w[\w./-]*$/.test(directory);
  return isServed ? posix.normalize(directory) : undefined;
}

function* foldersNamed(calls: readonly ModuleCall[], shipment: Shipment): Generator<SeenCause> {
  const made = calls.flatMap(({ name, object, arguments: given }) =>
    makesFolder.test(name) ? [object, given[0]] : [],
  );
  const { files, others } = shipment.stage();
  const there = [...[...files.values()].map((file) => `/${file}`), ...others.map((each) => `${each.path}/`)];
  const isThere = (path: string) => made.includes(path) || there.some((each) => each.includes(`/${path}/`));
  for (const call of calls) {
    const path = servedBy(call);
    if (path === undefined || isThere(path) || isBuilt(path, shipment)) continue;
    yield say('file-not-found folder', { path, file: call.at.file, place: placeOf(shipment) }, { at: call.at });
  }
}

const placeOf = ({ isDocker }: Shipment) => (isDocker ? 'the image' : 'the app');
