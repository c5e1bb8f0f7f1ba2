import { posix } from 'node:path';
import type { Module, ModuleGraph } from './modules.ts';
import { lineWith } from './package-files.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

interface Named {
  setting: string;
  module: string;
  at: CausePlace;
}

/** Modules that Django is told by their names, and the folder that it collects files into. */
export function* lookAtDjango(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const modules = [...graph.modules.values()];
  for (const { setting, module, at } of [...inEnvironment(shipment), ...modules.flatMap(inSettings)]) {
    const [top = ''] = module.split('.');
    const isOwn = graph.find([top]) !== undefined || setting === 'ROOT_URLCONF';
    if (!isOwn || graph.find(module.split('.')) !== undefined || graph.addsRoots) continue;
    yield {
      cause: 'module-missing',
      captured: { module },
      at,
      title: `${setting} is ${module}, which the app does not have`,
      fix: modulesIn(posix.dirname(module.replaceAll('.', '/')), graph),
    };
  }
  yield* collected(shipment);
}

function inEnvironment(shipment: Shipment): Named[] {
  const { path: file = '' } = shipment.dockerfile() ?? {};
  return shipment.servers().flatMap(({ environment, at }) => {
    const module = environment.get('DJANGO_SETTINGS_MODULE') ?? '';
    const place = file === '' ? at : { file, line: lineWith(shipment.read(file), module) };
    return place && /^[\w.]+$/.test(module) ? [{ setting: 'DJANGO_SETTINGS_MODULE', module, at: place }] : [];
  });
}

/** `ROOT_URLCONF`, and what is set where the environment does not say it. */
function inSettings({ file, facts }: Module): Named[] {
  const root = facts.values.get('ROOT_URLCONF');
  const line = facts.names.get('ROOT_URLCONF')?.line;
  return [
    ...(root && facts.names.has('INSTALLED_APPS')
      ? [{ setting: 'ROOT_URLCONF', module: root, at: { file, line } }]
      : []),
    ...facts.calls.flatMap(({ name, arguments: [setting, module], line }) =>
      name === 'os.environ.setdefault' && setting === 'DJANGO_SETTINGS_MODULE' && module
        ? [{ setting, module, at: { file, line } }]
        : [],
    ),
  ];
}

export function modulesIn(folder: string, { tree }: ModuleGraph): string | undefined {
  const files = [...tree.values()].filter((file) => /(?<!__init__)\.py$/.test(file));
  const near = files.filter((file) => posix.dirname(file) === (folder || '.'));
  const names = (near.length > 0 ? near : files).slice(0, 3);
  return names.length > 0 ? `the app has ${names.join(', ')}` : undefined;
}

/** `collectstatic` needs a folder. */
function* collected(shipment: Shipment): Generator<SeenCause> {
  const step = [...shipment.buildCommands(), ...shipment.started()].find(({ words }) =>
    words.includes('collectstatic'),
  );
  const settings = shipment.paths.filter((path) => path.endsWith('.py') && /INSTALLED_APPS/.test(shipment.read(path)));
  const [file] = settings;
  const isSet = shipment.paths.some(
    (path) => path.endsWith('.py') && /STATIC_ROOT|django_heroku/.test(shipment.read(path)),
  );
  if (!step || file === undefined || isSet) return;
  yield {
    cause: 'command-failed',
    severity: 'error',
    at: step.at,
    title: `collectstatic needs STATIC_ROOT, which ${file} does not set`,
    fix: `write STATIC_ROOT = BASE_DIR / "staticfiles" in ${file}`,
  };
}
