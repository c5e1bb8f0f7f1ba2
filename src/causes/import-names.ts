import { once } from '../kernel/once.ts';
import { knownModules, namespacePackages } from './known-modules.ts';

/** As PyPI compares names. */
export const normalizeName = (name: string) => name.replace(/[-_.]+/g, '-').toLowerCase();

/**
 * `opencv-python-headless` for `cv2`, `python-dotenv` for `dotenv.main`, `google-cloud-storage` for `google.cloud.storage`.
 * Undefined for a name that is not known: it may be a module of the app, and a stranger may own that name on PyPI.
 */
export function packageOf(module: string): string | undefined {
  const { packages, namespaces } = tables();
  const names = module.split('.');
  for (let length = names.length; length > 1; length--) {
    const owner = packages.get(names.slice(0, length).join('.'));
    const part = normalizeName(names.slice(0, length).join('-'));
    if (owner ?? namespaces.has(part)) return owner ?? part;
  }
  return packages.get(names[0] ?? module);
}

/** Whether PyPI has a package of this name, as far as it is known. */
export function isPackage(name: string): boolean {
  const wanted = normalizeName(name);
  return [...tables().packages.values()].includes(wanted);
}

/** `PIL` for `pillow`: empty for a package that is not known. */
export function modulesOf(name: string): string[] {
  return [...tables().packages].flatMap(([module, known]) => (known === name ? module : []));
}

/** `PIL` for `pil`: Linux looks at the case. */
export const spelledLike = (module: string): string[] =>
  [...tables().packages.keys()].filter((each) => each !== module && each.toLowerCase() === module.toLowerCase());

/** What the sources of the table do not have: parts of namespaces whose package has another name. */
const others = `
google.api=googleapis-common-protos google.longrunning=googleapis-common-protos google.oauth2=google-auth
google.protobuf=protobuf google.rpc=googleapis-common-protos google.type=googleapis-common-protos flasgger`;

const tables = once(() => ({
  packages: new Map(`${knownModules}${others}`.trim().split(/\s+/).map(readEntry)),
  namespaces: new Set(namespacePackages.trim().split(/\s+/)),
}));

function readEntry(entry: string): [string, string] {
  const [module = '', name = normalizeName(module)] = entry.split('=');
  return [module, name];
}
