import { posix } from 'node:path';
import { isBelowOrSame } from '../../app/image-stage.ts';
import { appFolder, type Import, isFromFile, type PythonFacts, pathIn, unknown } from '../../app/python/facts.ts';
import { readPython } from '../../app/python/read-python.ts';
import { groupsOf, lineAt, matchesIn } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import type { Packages } from './packages.ts';
import type { Shipment, StartedServer } from './shipment.ts';

/** A Python file of the app. */
export interface Module {
  /** In the app folder, and in the image. */
  file: string;
  path: string;
  facts: PythonFacts;
  /** Whether the app starts with it; `script` if it is run by its path, outside of a package. */
  isEntry: boolean | 'script';
  links: Link[];
  /** The first line that is not UTF-8. */
  undecodable?: number | undefined;
}

/** An import, and what it leads to. */
export interface Link {
  module: Module;
  found: Import;
  /** The names of the module, and the first of them. */
  parts: readonly string[];
  top: string;
  /** Where the module is looked for. */
  roots: readonly string[];
  /**
   * The file of the module, or the folder of a package without `__init__.py`, which ends with a slash. `above`: its dots leave
   * the package. Undefined if the app has no such module.
   */
  target: string | undefined;
  /** The line of the target that led here, if it is still being imported. */
  waitsAt?: number | undefined;
}

/** The modules of the app that its start reaches, and how they import each other. */
export class ModuleGraph {
  readonly modules = new Map<string, Module>();
  /** Folders where Python looks for modules. */
  readonly roots: string[] = [];
  /** Whether code adds folders that are not known. */
  addsRoots = false;
  /** Whether it is known what is started. */
  readonly isReached: boolean;
  readonly tree: ReadonlyMap<string, string>;
  private readonly shipment: Shipment;
  private readonly loading: { path: string; line: number }[] = [];
  /** Texts of what was loaded that may name modules. */
  private readonly named: string[] = [];
  private readonly folders = new Set<string>();

  constructor(shipment: Shipment, packages: Packages) {
    this.shipment = shipment;
    // An installed project is in the packages of Python: it is read where a stage has its sources.
    const stages = packages.projects.size > 0 ? shipment.stages : [];
    this.tree = new Map([...stages.flatMap(({ files }) => [...files]), ...shipment.stage().files]);
    for (const path of this.tree.keys()) this.knowFolder(posix.dirname(path));
    for (const project of packages.projects)
      for (const each of ['', 'src']) this.addRoot(posix.join(shipment.stage().workdir, project, each));
    for (const server of shipment.servers()) this.start(server);
    this.isReached = this.modules.size > 0;
    if (!this.isReached) this.loadAll();
  }

  private start({ module, script, cwd, environment, program, words, isRun }: StartedServer) {
    const isScript = script !== undefined && program !== 'fastapi';
    const added = [...foldersIn(words), ...(environment.get('PYTHONPATH') ?? '').split(':').filter(Boolean)];
    const folder = isScript ? posix.dirname(posix.resolve(cwd, script)) : cwd;
    for (const each of [...added, folder]) this.addRoot(posix.resolve(cwd, each));
    this.addsRoots ||= added.some((each) => this.isOutside(posix.resolve(cwd, each)));
    const settings = this.find((environment.get('DJANGO_SETTINGS_MODULE') ?? '\0').split('.'));
    this.load(settings);
    const startedPath = script === undefined ? this.started(module, isRun === true) : posix.resolve(cwd, script);
    this.load(startedPath, 0, isScript ? 'script' : true);
    this.loadBeside(module, program === 'streamlit' ? `${folder}/pages/` : '/\0');
  }

  /** The packages around a module, which Python imports too, and the pages of Streamlit, each a program of its own. */
  private loadBeside(module: string | undefined, pages: string): void {
    const parts = module?.split('.') ?? [];
    for (const at of parts.keys()) this.load(this.find(parts.slice(0, at + 1)));
    for (const path of this.tree.keys()) if (path.startsWith(pages) && path.endsWith('.py')) this.load(path);
  }

  private started(module: string | undefined, isRun: boolean): string | undefined {
    if (module === undefined) return undefined;
    return (isRun && this.find([...module.split('.'), '__main__'])) || this.find(module.split('.'));
  }

  /** Without a start that is known, any file may be one. */
  private loadAll(): void {
    if (this.roots.length === 0) this.addRoot(this.shipment.stage().workdir);
    for (const path of this.tree.keys()) if (path.endsWith('.py')) this.load(path);
  }

  private knowFolder(folder: string): void {
    if (folder === '/' || this.folders.has(folder)) return;
    this.folders.add(folder);
    this.knowFolder(posix.dirname(folder));
  }

  addRoot(root: string): void {
    if (!this.roots.includes(root)) this.roots.push(root);
  }

  /** The path in the image of a module, or the folder of a package without `__init__.py`, which ends with a slash. */
  find(parts: readonly string[], roots: readonly string[] = this.roots): string | undefined {
    let folder: string | undefined;
    for (const root of roots) {
      const path = posix.join(root, ...parts);
      for (const each of [`${path}/__init__.py`, `${path}.py`]) if (this.tree.has(each)) return each;
      if (this.folders.has(path)) folder ??= `${path}/`;
    }
    return folder;
  }

  /** The modules that the code makes itself, and whether it installs packages. */
  made = once(() => {
    const all = [...this.modules.values()].map(({ facts }) => facts);
    const installs = all.some(({ texts }) => texts.some(({ value }) => value === 'pip'));
    return { modules: new Set(all.flatMap(({ madeModules }) => [...madeModules])), installs };
  });

  /** That of a path in the image, if it was read. */
  module(path = ''): Module | undefined {
    return this.modules.get(path);
  }

  moduleNamed(name: string): Module | undefined {
    return this.module(this.find(name.split('.')));
  }

  /** The file of the app, of a path of the image. */
  fileOf(path: string): string {
    return this.tree.get(path) ?? '';
  }

  private load(path = '', line = 0, isEntry: Module['isEntry'] = false): void {
    const file = this.fileOf(path);
    const text = this.modules.has(path) ? undefined : this.shipment.text(file);
    if (text === undefined) return;
    const facts = readPython(text.replace(/^\ufeff/, ' '), file);
    const module: Module = { file, path, facts, isEntry, links: [] };
    module.undecodable = undecodableLine(text);
    this.modules.set(path, module);
    this.loading.push({ path, line });
    for (const { name, arguments: given } of facts.calls)
      if (/^sys\.path\.(?:append|insert|extend)$/.test(name)) this.addFolder(module, given);
    for (const each of [...facts.imports, ...namedBySettings(text)]) this.follow(module, each);
    for (const { value } of facts.texts) this.named.push(value);
    this.loading.pop();
    this.followTexts();
  }

  /** What a text names is loaded later, by what reads the text. */
  private followTexts(): void {
    if (this.loading.length > 0) return;
    for (const value of this.named.splice(0)) this.followText(value);
  }

  private addFolder({ path, file }: Module, given: readonly (string | undefined)[]): void {
    const added = given.find((each) => each !== undefined && !/^\d+$/.test(each));
    const isKnown = added !== undefined && !added.includes(unknown);
    const { workdir } = this.shipment.stage();
    const root = posix.resolve(
      workdir,
      isKnown && isFromFile(added) ? imagePath(pathIn(added), path, file) : (added ?? ''),
    );
    if (isKnown) this.addRoot(root);
    this.addsRoots ||= !isKnown || this.isOutside(root);
  }

  /** Whether a folder is outside of the app: what is in it is not known. */
  private isOutside(root: string): boolean {
    return !isBelowOrSame(root, this.shipment.stage().workdir) && !this.folders.has(root);
  }

  /** Modules that a text names: what a framework loads by its name. */
  private followText(value: string): void {
    const [, name] = groupsOf(/^((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)(?::\w+)?$/, value);
    if (name === undefined || !this.tree.has(posix.join(this.roots[0] ?? '', `${name.replaceAll('.', '/')}.py`)))
      return;
    const path = this.find(name.split('.'));
    this.load(path);
  }

  private follow(module: Module, imported: Import): void {
    const parts = imported.module === '' ? [] : imported.module.split('.');
    const link = { module, found: imported, parts, top: parts[0] ?? '' };
    const roots = imported.level > 0 ? this.packageOf(module, imported.level) : this.roots;
    if (!roots) module.links.push({ ...link, roots: [], target: 'above' });
    else if (parts.length > 0 || imported.level > 0) this.followTo(link, roots);
  }

  private followTo(link: Omit<Link, 'roots' | 'target'>, roots: readonly string[]): void {
    const { module, found, parts } = link;
    // Each package around a module is imported before it.
    for (let length = 1; length < parts.length; length++)
      this.load(this.find(parts.slice(0, length), roots), found.line);
    const target = parts.length === 0 ? this.packageAt(roots[0] ?? '') : this.find(parts, roots);
    const at = this.loading.findIndex(({ path }) => path === target);
    const waitsAt = at < 0 ? undefined : this.loading[at + 1]?.line;
    module.links.push({ ...link, roots, target, waitsAt });
    this.load(target, found.line);
    this.load(this.partOf(target, found.name), found.line);
  }

  /** The module of a package that a name stands for. */
  partOf(target: string | undefined, name = '*'): string | undefined {
    const folder = folderOf(target);
    return folder === undefined || name === '*' ? undefined : this.find([name], [folder]);
  }

  private packageAt(folder: string): string {
    const path = `${folder}/__init__.py`;
    return this.tree.has(path) ? path : `${folder}/`;
  }

  /** The package that the dots of a relative import mean; undefined if there is none. */
  private packageOf(module: Module, level: number): string[] | undefined {
    let folder = posix.dirname(module.path);
    for (let up = 1; up < level; up++) folder = posix.dirname(folder);
    const isBelow = this.roots.some((root) => folder.startsWith(root === '/' ? root : `${root}/`));
    // The folder that a Dockerfile starts in may be another one than it seems.
    const isUnknown = this.shipment.isDocker && level === 1 && !module.isEntry;
    return module.isEntry !== 'script' && (isBelow || isUnknown) ? [folder] : undefined;
  }

  /** What `PORT` or `config.PORT` stands for: a constant of a module, or a field of a class. Undefined if it is not known. */
  valueOf(reference: string, module: Module): string | undefined {
    const [first = '', ...rest] = /^\w+(?:\.\w+)*$/.test(reference) ? reference.split('.') : [];
    return this.ownerOf(first, module)?.facts.values.get(rest.at(-1) ?? first);
  }

  /** The module that gives a name its value. Undefined if it is imported from what is not sent. */
  private ownerOf(name: string, module: Module): Module | undefined {
    const link = module.links.find(({ found }) => found.as === name);
    if (!link) return module;
    const path = link.found.name === undefined ? link.target : (this.partOf(link.target, name) ?? link.target);
    const owner = this.module(path);
    return owner === module ? undefined : owner;
  }

  /** What can be imported from a module. */
  namesOf({ facts, links }: Module, depth = 0): ReadonlyMap<string, { line: number }> {
    if (!facts.hasMore || depth > 5) return facts.names;
    const all = new Map<string, { line: number }>(facts.names);
    for (const { found, target } of links) {
      const other = found.name === '*' ? this.module(target) : undefined;
      for (const [name, at] of other ? this.namesOf(other, depth + 1) : []) all.set(name, at);
    }
    return all;
  }
}

/** Settings of Django that name modules, or objects in them. */
const settingsOfDjango =
  /^(?:(?:\w+_APPS|MIDDLEWARE)\s*\+?=\s*[[(](?<list>[^\])]*)[\])]|(?:ROOT_URLCONF|WSGI_APPLICATION|ASGI_APPLICATION)\s*=\s*(?<one>.*))/gm;

/** The modules that Django imports because its settings name them. */
function namedBySettings(text: string): Import[] {
  const lists = text.includes('INSTALLED_APPS') ? [...text.matchAll(settingsOfDjango)] : [];
  return lists.flatMap(({ 0: whole, index, groups = {} }) => {
    const start = index + whole.indexOf(groups.list ?? groups.one ?? '');
    return matchesIn((groups.list ?? groups.one ?? '').replace(/#.*/g, ''), /["']([A-Za-z_][\w.]*)["']/g).map(
      ({ match: [, name = ''], line }) => {
        const [, owner = name, object] = groupsOf(/^(.*)\.([A-Z]\w*|application)$/, name);
        const at = { line: lineAt(text, start) + line - 1 };
        return { ...at, module: owner, name: object, as: name, level: 0, isNeeded: 'sometimes' as const };
      },
    );
  });
}

function undecodableLine(text: string): number | undefined {
  const bad = text.indexOf('\ufffd');
  const isOther = /^#.*coding[:=]/m.test(text.slice(0, 200));
  return bad < 0 || isOther ? undefined : lineAt(text, bad);
}

/** The folder of a package; undefined for a module. */
export const folderOf = (target: string | undefined): string | undefined =>
  groupsOf(/^(.*)\/(?:__init__\.py)?$/, target)[1];

/** A path of the app folder as it is in the image, seen from a file that is in both. */
function imagePath(inApp: string, path: string, file: string): string {
  return path.endsWith(`/${file}`)
    ? posix.join(path.slice(0, -file.length), inApp)
    : posix.join(posix.dirname(path), posix.relative(posix.dirname(appFolder + file), appFolder + inApp));
}

/** Folders where a server looks for its module: `--app-dir src`. */
export function foldersIn(words: readonly string[]): string[] {
  const flags = /^--(?:app-dir|chdir|pythonpath)(?:=(.+))?$/;
  return words.flatMap((word, at) => {
    const [flag, value] = groupsOf(flags, word);
    const folder = value ?? words[at + 1];
    return flag !== undefined && folder !== undefined ? [folder] : [];
  });
}
