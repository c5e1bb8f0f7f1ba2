import type { Explanation } from './explanation.ts';
import { packageOf } from './import-names.ts';
import type { Refinement } from './rule.ts';
import { isForeignFile } from './tracebacks.ts';

/**
 * What to do about a module that is missing. A package is named only if the module is surely one: anybody can publish a
 * package that has the name of a module of an app.
 */
export const missingModule: Refinement = (found, { module }, { config }, before) => {
  if (found.cause !== 'module-missing' || module === undefined) return undefined;
  const [top = module] = module.split('.');
  const files = before.flatMap((line) => /^\s+File "([^"]{1,300})", line/.exec(line)?.[1] ?? []);
  const importer = files.findLast((file) => !/^<|\/(?:importlib\/\w+|runpy)\.py$/.test(file)) ?? '';
  const isForeign = isForeignFile(importer);
  const known = packageOf(module);
  if (top === 'encodings') return { ...found, ...brokenPython };
  if (top.startsWith('_') || standard.has(top)) return { ...found, ...standardModule };
  if (commonNames.has(top) || namesOf(files, config?.root).has(top)) return ownModule(found, module);
  if (module !== top && !namespaces.has(top))
    return isForeign || known !== undefined ? otherVersion(found, module, known ?? top) : ownModule(found, module);
  const name = known ?? (isForeign ? top.replaceAll('_', '-') : undefined);
  return name === undefined
    ? undefined
    : { ...found, fix: `add ${name} to [cerebrium.dependencies.pip]: ${name} = "${lastWith[top] ?? 'latest'}"` };
};

/** Modules that later versions of their package do not have: setuptools 82 came without it. */
const lastWith: Readonly<Record<string, string>> = { pkg_resources: '<82' };

/** Modules of Python that some versions and images do not have. */
const standard = new Set(
  'asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp lib2to3 nntplib pipes smtpd sndhdr telnetlib tkinter tomllib uu xdrlib'.split(
    ' ',
  ),
);

const standardModule = {
  title: 'the Python of the image does not have a module of the standard library',
  fix: 'use a python_version that has it, or newer versions of the packages that import it',
  setting: 'deployment.python_version',
};

const brokenPython = {
  title: 'Python does not find its own standard library',
  fix: 'remove PYTHONHOME and PYTHONPATH from the environment, and make the virtual environment in the image that runs it',
  setting: 'deployment.docker_base_image_url',
};

/** Packages whose parts are installed one by one: that a part is missing does not show that the others are there. */
const namespaces = new Set(['google', 'azure', 'ruamel', 'mpl_toolkits', 'opentelemetry', 'zope', 'mypy_boto3']);

/** What apps call their own modules. */
const commonNames = new Set(
  `api app apps backend base cli client common conf config configs constants core data database db dependencies domain
  endpoints engine exceptions extensions handler handlers helper helpers inference infra jobs lib libs loader logger
  logging_config main middleware model models modules my_app pipeline pipelines predict predictor prompts project
  routers routes schema schemas scripts serve server service services settings shared src startup storage task tasks
  test tests tools train types util utils views web worker workers wsgi asgi`.split(/\s+/),
);

/** The names of the files and folders that the traceback shows, but for those of Python and of packages. */
function namesOf(files: readonly string[], root = ''): Set<string> {
  const own = files.filter((file) => !isForeignFile(file)).flatMap((file) => file.replace(/\.py$/, '').split('/'));
  return new Set([...own, root.split('/').at(-1) ?? '']);
}

function ownModule(found: Explanation, module: string): Explanation {
  return {
    ...found,
    title: `the app imports ${module}, which is not where Python looks for it`,
    fix: 'send its file with the app (include), start the app in the folder that contains it, and give no other file its name',
    setting: 'deployment.include',
  };
}

function otherVersion(found: Explanation, module: string, name: string): Explanation {
  return {
    ...found,
    title: `the installed version of ${name} has no module ${module}`,
    fix: `pin ${name} to the version that the code was written for, or change the import`,
    setting: `dependencies.pip.${name}`,
  };
}
