import { posix } from 'node:path';
import { groupsOf } from '../groups.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Migrations of Alembic and Django that build on one that is not there: `upgrade` and `migrate` then do nothing but fail. */
export function* lookAtMigrations(shipment: Shipment): Generator<SeenCause> {
  const files = shipment.paths.filter((path) => /(?:^|\/)(?:versions|migrations)\/\w+\.py$/.test(path));
  const texts = files.map((file) => ({ file, text: shipment.read(file) }));
  const revisions = new Set(
    texts.flatMap(({ text }) => groupsOf(/^revision\b[^=\n]*=\s*["']([^"']+)/m, text).slice(1)),
  );
  const known = (id: string) => [...revisions].some((each) => each.startsWith(id));
  for (const { file, text } of texts) {
    const [, before] = groupsOf(/^down_revision\b[^=\n]*=\s*["']([^"'\n]+)["']\s*(?:#.*)?$/m, text);
    if (before !== undefined && !known(before)) yield missing(file, text, before, 'revision');
    for (const [app, name] of dependencies(text))
      if (isKnown(app, shipment) && !files.some((each) => each.endsWith(`${app}/migrations/${name}.py`)))
        yield missing(file, text, `${app}.${name}`, 'migration', name);
  }
}

const dependencies = (text: string) => {
  const [, list = ''] = groupsOf(/^\s+dependencies\s*=\s*\[([^\]]*)\]/m, text);
  return [...list.matchAll(/\(\s*["'](\w+)["']\s*,\s*["'](\d{4}_\w+)["']\s*,?\s*\)/g)].map(
    ([, app = '', name = '']) => [app, name] as const,
  );
};

/** An app of a package has its migrations there; the first ones of Django and of the usual packages are known by name. */
const ofPackages =
  /^(?:auth|contenttypes|sessions|admin|sites|flatpages|redirects|account|socialaccount|token_blacklist|authtoken|taggit|wagtail\w*|django_\w+|oauth2_provider|silk|reversion|guardian|easy_thumbnails|filer|cms)$/;

/** Whether it is one of the app, or one that no settings install. */
function isKnown(app: string, shipment: Shipment): boolean {
  const isOwn = shipment.paths.some((path) => posix.basename(posix.dirname(path)) === app);
  const settings = shipment.paths.filter((path) => /\.py$/.test(path)).map((path) => shipment.read(path));
  const installing = settings.filter((text) => text.includes('INSTALLED_APPS'));
  return !ofPackages.test(app) && (isOwn || (installing.length > 0 && !installing.some((text) => text.includes(app))));
}

const missing = (file: string, text: string, wanted: string, what: string, part = wanted): SeenCause => ({
  cause: 'database-schema-missing',
  at: { file, line: text.slice(0, text.indexOf(part)).split('\n').length },
  title: `${file} builds on the ${what} ${wanted}, which is not in the app`,
  fix: 'name one that is there, or send the file that has it',
});
