import { posix } from 'node:path';
import { isLaterVersion } from '../../app/later-version.ts';
import { type Import, isFromFile, type PythonFacts, pathIn, readPython, unknown } from '../../app/python-facts.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { isOlder, pinnedVersion } from '../../app/wheels.ts';
import { packageOf } from '../import-names.ts';
import { normalizeName, type Packages } from './packages.ts';
import { addedModules, addedNames, builtins, removedModules, standardModules } from './python-names.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { commonlyBrought, features, nameVersions, ofTheRuntime } from './tables.ts';

/** A Python file that is imported when the app starts, or that it starts with. */
export interface Module {
  /** In the app folder, and in the image. */
  file: string;
  path: string;
  facts: PythonFacts;
  isEntry: boolean;
}

/** The code of the app that its start reaches. */
export class PythonCode {
  readonly modules = new Map<string, Module>();
  readonly findings: SeenCause[] = [];
  /** Folders where Python looks for modules. */
  readonly roots: string[] = [];
  /** Whether code adds folders that are not known. */
  private addsRoots = false;
  private readonly shipment: Shipment;
  private readonly packages: Packages;
  private readonly tree: ReadonlyMap<string, string>;
  private readonly loading: { module: Module; line: number }[] = [];

  constructor(shipment: Shipment, packages: Packages) {
    this.shipment = shipment;
    this.packages = packages;
    this.tree = shipment.inImage();
    for (const { module, script, cwd, environment, program, words, isRun } of shipment.servers()) {
      const folder = script === undefined || program === 'fastapi' ? cwd : posix.dirname(posix.resolve(cwd, script));
      const own = words.flatMap((word, at) =>
        /^--(?:app-dir|chdir|pythonpath)$/.test(words[at - 1] ?? '')
          ? word
          : (/^--(?:app-dir|chdir|pythonpath)=(.+)/.exec(word)?.[1] ?? []),
      );
      for (const each of [
        ...own.map((one) => posix.resolve(cwd, one)),
        folder,
        ...(environment.get('PYTHONPATH') ?? '')
          .split(':')
          .filter(Boolean)
          .map((one) => posix.resolve(cwd, one)),
      ])
        this.addRoot(each);
      if (packages.installsItself) for (const each of [shipment.workdir, `${shipment.workdir}/src`]) this.addRoot(each);
      const found =
        script === undefined
          ? module === undefined
            ? undefined
            : (isRun && this.find([...module.split('.'), '__main__'])) || this.find(module.split('.'))
          : this.tree.has(posix.resolve(cwd, script))
            ? posix.resolve(cwd, script)
            : undefined;
      if (typeof found === 'string') this.load(found, true, 0);
    }
    this.loadOthers();
  }

  /** What no import names: plugins, tasks, modules that a framework looks for. */
  private loadOthers(): void {
    const isReached = this.modules.size > 0;
    if (this.roots.length === 0) this.addRoot(this.shipment.workdir);
    const aside =
      /(?:^|\/)(?:tests?|scripts?|notebooks?|docs?|examples?|tools?|bench\w*|migrations|training|versions|site-packages|node_modules)\/|(?:^|\/)(?:conftest|setup|test_\w+|\w+_test|manage|noxfile|fabfile|tasks|gunicorn\.conf)\.py$/;
    for (const [path, file] of this.tree) {
      if (
        !file.endsWith('.py') ||
        aside.test(file) ||
        this.modules.has(path) ||
        !this.roots.some((root) => path.startsWith(`${root}/`))
      )
        continue;
      const isBeside = [...this.modules.keys()].some((each) => posix.dirname(path).startsWith(posix.dirname(each)));
      if (isReached && !isBeside) continue;
      this.isAside = true;
      this.load(path, false, 0);
    }
  }

  private isAside = false;

  /** The module that a server loads. */
  moduleNamed(name: string): Module | undefined {
    const found = this.find(name.split('.'));
    return typeof found === 'string' ? this.modules.get(found) : undefined;
  }

  private addRoot(root: string): void {
    if (!this.roots.includes(root)) this.roots.push(root);
  }

  /** The path in the image of a module, or `folder` for a package without `__init__.py`. */
  find(parts: readonly string[], roots: readonly string[] = this.roots): string | { folder: string } | undefined {
    let folder: string | undefined;
    for (const root of roots) {
      const path = posix.join(root, ...parts);
      for (const each of [`${path}/__init__.py`, `${path}.py`]) if (this.tree.has(each)) return each;
      if (folder === undefined && this.isFolder(path)) folder = path;
    }
    return folder === undefined ? undefined : { folder };
  }

  private folders: Set<string> | undefined;

  private isFolder(path: string): boolean {
    if (!this.folders) {
      this.folders = new Set();
      for (const file of this.tree.keys())
        for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
          this.folders.add(file.slice(0, at));
    }
    return this.folders.has(path);
  }

  private load(path: string, isEntry: boolean, line: number): void {
    if (this.modules.has(path)) return;
    const file = this.tree.get(path) ?? '';
    const bytes = this.shipment.bytes(file);
    if (!bytes) return;
    const text = bytes.toString();
    if (text.includes('\ufffd') && !/^#.*coding[:=]/m.test(text.slice(0, 200)))
      this.findings.push({
        cause: 'file-encoding',
        severity: 'error',
        captured: { path: file },
        at: { file, line: text.slice(0, text.indexOf('\ufffd')).split('\n').length },
        why: 'Python reads its files as UTF-8, unless a comment in the first lines names another encoding',
        fix: `save ${file} as UTF-8`,
      });
    const facts = readPython(text.replace(/^\ufeff/, ' '), file);
    const module: Module = { file, path, facts, isEntry };
    this.modules.set(path, module);
    this.loading.push({ module, line });
    for (const { name, arguments: given } of facts.calls) {
      if (!/^sys\.path\.(?:append|insert|extend)$/.test(name)) continue;
      const added = given.find((each) => each !== undefined && !/^\d+$/.test(each));
      if (added === undefined || added.includes(unknown)) this.addsRoots = true;
      else
        this.addRoot(
          isFromFile(added) ? this.imagePath(pathIn(added), path, file) : posix.resolve(this.shipment.workdir, added),
        );
    }
    for (const each of facts.imports) this.follow(module, each);
    this.loading.pop();
  }

  /** A path of the app folder as it is in the image, seen from a file that is in both. */
  private imagePath(inApp: string, path: string, file: string): string {
    return path.endsWith(`/${file}`)
      ? posix.join(path.slice(0, -file.length), inApp)
      : posix.join(posix.dirname(path), posix.relative(posix.dirname(file), inApp));
  }

  private follow(module: Module, found: Import): void {
    const { level, name } = found;
    let roots: readonly string[] = this.roots;
    const parts = found.module === '' ? [] : found.module.split('.');
    if (level > 0) {
      let folder = posix.dirname(module.path);
      for (let up = 1; up < level; up++) folder = posix.dirname(folder);
      const isMain = module.isEntry && this.shipment.servers().every(({ script }) => script !== undefined);
      const isAbove =
        !this.roots.every((root) => !`${root}/`.startsWith(`${folder}/`)) &&
        !(level === 1 && !module.isEntry && this.shipment.isDocker);
      if (isMain || isAbove) {
        if (!found.isOptional)
          this.say(
            'relative-import',
            'error',
            module,
            found,
            {},
            isMain ? undefined : `${'.'.repeat(level)} stands for a folder that is not inside of a package`,
          );
        return;
      }
      roots = [folder];
    }
    if (parts.length === 0 && level === 0) return;
    // Each package around a module is imported before it.
    for (let length = 1; length < parts.length; length++) {
      const around = this.find(parts.slice(0, length), roots);
      if (typeof around === 'string') this.load(around, false, found.line);
    }
    const target = parts.length === 0 ? this.packageAt(roots[0] ?? '') : this.find(parts, roots);
    if (target === undefined) {
      this.missing(module, found, parts, level, roots);
      return;
    }
    if (typeof target === 'string') {
      if (target === module.path && level === 0) this.shadows(module, found, parts);
      const isLoading = this.loading.find((each) => each.module.path === target);
      this.load(target, false, found.line);
      if (name === '*')
        for (const each of this.modules.get(target)?.facts.names ?? []) (module.facts.names as Set<string>).add(each);
      if (name !== undefined && name !== '*')
        this.importName(module, found, target, name, isLoading?.module !== module && isLoading !== undefined);
    } else if (name !== undefined && name !== '*') this.submodule(module, found, target.folder, name);
  }

  private packageAt(folder: string): string | { folder: string } | undefined {
    const path = `${folder}/__init__.py`;
    return this.tree.has(path) ? path : { folder };
  }

  private importName(module: Module, found: Import, target: string, name: string, isLoading: boolean): void {
    const facts = this.modules.get(target)?.facts;
    const isPackage = target.endsWith('/__init__.py');
    const part = isPackage ? this.find([name], [posix.dirname(target)]) : undefined;
    if (typeof part === 'string') this.load(part, false, found.line);
    if (!facts || part !== undefined || facts.hasMore) return;
    if (!facts.names.has(name)) {
      if (isPackage && this.unsent(posix.join(posix.dirname(this.tree.get(target) ?? ''), name)))
        this.submodule(module, found, posix.dirname(target), name);
      else this.sayNoName(module, found, this.tree.get(target) ?? '', name, facts);
    } else if (isLoading && !found.isOptional) {
      const at = facts.definedAt(name);
      const importedAt = this.loading[this.loading.findIndex((each) => each.module.path === target) + 1]?.line ?? 0;
      if (at >= importedAt)
        this.say(
          'circular-import',
          'error',
          module,
          found,
          { module: found.module },
          `${this.tree.get(target)} imports ${module.file} in line ${importedAt}, before it defines ${name} in line ${at}`,
          `move what both need into a module of its own, or import ${name} inside of the function that uses it`,
        );
    }
  }

  private sayNoName(module: Module, found: Import, file: string, name: string, facts: PythonFacts): void {
    const meant = closestName(name, facts.names);
    this.say(
      'import-name-missing',
      found.isOptional ? 'warning' : 'error',
      module,
      found,
      { module: file, name },
      undefined,
      meant && `import ${meant}, or define ${name} in ${file}`,
    );
  }

  private submodule(module: Module, found: Import, folder: string, name: string): void {
    const part = this.find([name], [folder]);
    if (typeof part === 'string') this.load(part, false, found.line);
    else if (part === undefined)
      this.missing(
        module,
        { ...found, name: undefined },
        [...(found.module === '' ? [] : found.module.split('.')), name],
        found.level,
        [folder],
        1,
      );
  }

  /** A file of the app folder that is not sent, by the name of a module. */
  private unsent(path: string): string | undefined {
    return (
      [`${path}.py`, `${path}/__init__.py`].find(
        (each) => this.shipment.exists(each) && !this.shipment.sent.has(each),
      ) ??
      (this.shipment.isFolder(path) &&
      !this.shipment.hasFolder(path) &&
      this.shipment.list(path).some((each) => each.endsWith('.py'))
        ? `${path}/`
        : undefined)
    );
  }

  private missing(
    module: Module,
    found: Import,
    parts: readonly string[],
    level: number,
    roots: readonly string[],
    last = parts.length,
  ): void {
    if (found.isGuarded) return;
    const [top = ''] = parts;
    const python = this.shipment.python();
    if (level === 0 && (standardModules.has(top) || top.startsWith('_'))) {
      const since = addedModules[top];
      const until = removedModules[top];
      if (python !== undefined && since !== undefined && isLaterVersion(since, python) && !found.isOptional)
        this.say(
          'python-version-unsupported',
          'error',
          module,
          found,
          { package: module.file },
          `${top} is in the standard library since Python ${since}`,
          `python_version = "${since}"`,
          `${module.file} imports ${top}, which Python ${python} does not have`,
        );
      if (
        python !== undefined &&
        until !== undefined &&
        !isLaterVersion(until, python) &&
        !this.packages.has('setuptools') &&
        this.packages.provides(top) === false
      )
        this.say(
          'python-version-unsupported',
          found.isOptional ? 'warning' : 'error',
          module,
          found,
          { package: module.file },
          `${top} is not in the standard library since Python ${until}`,
          undefined,
          `${module.file} imports ${top}, which Python ${python} does not have`,
        );
      return;
    }
    const name = parts.join('.');
    const severity = found.isOptional ? 'warning' : 'error';
    const inApp = (root: string) => this.inAppFolder(root);
    for (const root of roots) {
      const folder = inApp(root);
      const path =
        folder === undefined ? undefined : this.unsent(posix.join(folder, ...parts.slice(parts.length - last)));
      if (path !== undefined && !(found.isOptional && this.packages.provides(name))) {
        const { why, fix } = this.shipment.reasonOf(path.endsWith('/') ? `${path}module.py` : path);
        const isSentButNotCopied = this.shipment.sent.has(path);
        if (!isSentButNotCopied)
          this.say(
            'module-excluded',
            severity,
            module,
            found,
            { module: name },
            undefined,
            fix,
            `${path} is in the app folder, but is not sent: ${why}`,
          );
        return;
      }
    }
    const isOwn = level > 0 || (parts.length > 1 && this.find([top], roots) !== undefined) || last < parts.length;
    if (isOwn) {
      const near = this.nearby(roots, parts, last);
      this.say(
        'module-missing',
        severity,
        module,
        found,
        { module: name },
        near && `the app has ${near}`,
        near ? `import it by the name that it has, or rename ${near}` : `add its file to the app`,
        `${module.file} imports ${name}, which the app does not have`,
      );
      return;
    }
    if (this.addsRoots && packageOf(name) === undefined) return;
    const provided = this.packages.provides(name);
    if (provided) return;
    const known = packageOf(name);
    const isServed = !this.shipment.isDocker && ofTheRuntime.has(known ?? normalizeName(top));
    const elsewhere = this.elsewhere(parts);
    if (elsewhere !== undefined && (known === undefined || provided === false)) {
      this.say(
        'module-missing',
        severity,
        module,
        found,
        { module: name },
        `the app has ${elsewhere}, and Python looks in ${this.roots.map((root) => this.inAppFolder(root) || 'the app folder').join(', ')}`,
        'import it by its whole path, or start the app in the folder that has it',
        `${module.file} imports ${name}, which is not where Python looks for it`,
      );
      return;
    }
    if (
      isServed ||
      (provided === undefined && (this.packages.hasOthers || (known !== undefined && commonlyBrought.has(known))))
    )
      return;
    if (known !== undefined)
      this.say(
        'module-missing',
        provided === false ? severity : 'warning',
        module,
        found,
        { module: name },
        undefined,
        this.shipment.isDocker
          ? `install ${known} in ${this.shipment.config.custom?.dockerfile_path}`
          : `add ${known} to [cerebrium.dependencies.pip]: ${known} = "latest"`,
        `${module.file} imports ${name}, and nothing installs ${known}`,
      );
    else if (!this.packages.hasOthers || this.isOutside(parts))
      this.say(
        'module-missing',
        provided === false && this.packages.listed.length > 0 ? severity : 'warning',
        module,
        found,
        { module: name },
        this.isOutside(parts) ? `${top} is beside the app folder, and only the app folder is sent` : undefined,
        'add its file to the app, or the package that has it to the dependencies',
        `${module.file} imports ${name}, which neither the app nor a package has`,
      );
  }

  /** The folder of the app that a folder of the image was made from. */
  private inAppFolder(root: string): string | undefined {
    if (!this.shipment.isDocker)
      return root === '/cortex' ? '' : root.startsWith('/cortex/') ? root.slice('/cortex/'.length) : undefined;
    for (const [path, file] of this.tree)
      if (path.startsWith(`${root}/`))
        return file.endsWith(path.slice(root.length + 1))
          ? file.slice(0, file.length - (path.length - root.length - 1)).replace(/\/$/, '')
          : undefined;
    return undefined;
  }

  private isOutside([top = '']: readonly string[]): boolean {
    return this.shipment.besides(top);
  }

  /** A file with a similar name in the folder where the module should be. */
  private nearby(roots: readonly string[], parts: readonly string[], last: number): string | undefined {
    for (const root of roots) {
      const folder = posix.join(root, ...parts.slice(parts.length - last, -1));
      const names = new Map<string, string>();
      for (const [path, file] of this.tree)
        if (posix.dirname(path) === folder && path.endsWith('.py')) names.set(posix.basename(path, '.py'), file);
      const meant = closestName(parts.at(-1) ?? '', names.keys());
      if (meant !== undefined) return names.get(meant);
    }
    return undefined;
  }

  /** The same module in another folder, or with another spelling. */
  private elsewhere(parts: readonly string[]): string | undefined {
    const wanted = parts.join('/');
    const [top = ''] = parts;
    const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');
    for (const file of this.tree.values()) {
      if (file.endsWith(`/${wanted}.py`) || file.endsWith(`/${wanted}/__init__.py`)) return file;
      const first = file.split('/')[0] ?? '';
      if (
        file.endsWith('.py') &&
        plain(first.replace(/\.py$/, '')) === plain(top) &&
        first.replace(/\.py$/, '') !== top
      )
        return first;
    }
    const folders = new Set(
      [...this.tree.values()]
        .filter((file) => file.endsWith('.py'))
        .map((file) => (file.split('/')[0] ?? '').replace(/\.py$/, '')),
    );
    const meant = packageOf(top) === undefined ? closestName(top, folders) : undefined;
    return meant === undefined || meant === 'main'
      ? undefined
      : [...this.tree.values()].find((file) => file.startsWith(`${meant}.py`) || file.startsWith(`${meant}/`));
  }

  private shadows(module: Module, found: Import, parts: readonly string[]): void {
    if (parts.length === 1)
      this.say(
        'circular-import',
        'error',
        module,
        found,
        { module: parts[0] ?? '' },
        `${module.file} imports itself: the app starts it by the name of the package`,
        `give ${module.file} another name`,
      );
  }

  private say(
    cause: string,
    severity: SeenCause['severity'],
    { file }: Module,
    { line }: { line: number },
    captured: Record<string, string>,
    why?: string,
    fix?: string,
    title?: string,
  ): void {
    this.findings.push({
      cause,
      severity: this.isAside ? 'warning' : severity,
      captured,
      at: { file, line },
      why,
      fix,
      title,
    });
  }
}

/** What Python itself will refuse, and names of the app that are not there. */
export function* lookAtPython(shipment: Shipment, packages: Packages, code: PythonCode): Generator<SeenCause> {
  yield* code.findings;
  const python = shipment.python();
  for (const module of code.modules.values()) {
    const { file, facts } = module;
    for (const { line, version, what } of facts.needs)
      if (python !== undefined && isLaterVersion(version, python))
        yield {
          cause: 'syntax-error',
          severity: 'error',
          captured: { problem: what },
          at: { file, line },
          title: `${file} has a syntax error: ${what} is for Python ${version} and later`,
          why: `the app has Python ${python}`,
          fix: `python_version = "${version}", or write it in another way`,
        };
    yield* standardNames(module, python);
    yield* versionsOfNames(module, packages);
    yield* members(code, module);
    if (facts.brokenLine === undefined)
      for (const { name, line } of facts.undefinedNames)
        if (!builtins.has(name) && !/^__\w+__$/.test(name))
          yield {
            cause: 'name-undefined',
            severity: 'warning',
            captured: { name, path: file },
            at: { file, line },
            why: name === 'display' || name === 'get_ipython' ? 'only notebooks have it' : undefined,
          };
    yield* shadowing(shipment, packages, module);
  }
  yield* neededFeatures(shipment, packages, code);
}

function* standardNames({ file, facts }: Module, python: string | undefined): Generator<SeenCause> {
  if (python === undefined) return;
  for (const { module, name = '', line, level, isOptional } of facts.imports) {
    const since =
      level === 0 && standardModules.has(module.split('.')[0] ?? '')
        ? addedNames.find(([, names]) => names.test(`${module}.${name}`))?.[0]
        : undefined;
    if (since !== undefined && isLaterVersion(since, python) && !isOptional)
      yield {
        cause: 'python-version-unsupported',
        severity: 'error',
        captured: { package: file },
        at: { file, line },
        title: `${file} imports ${name} from ${module}, which has it since Python ${since}`,
        why: `the app has Python ${python}`,
        fix: `python_version = "${since}"`,
      };
  }
}

function* versionsOfNames({ file, facts }: Module, { listed }: Packages): Generator<SeenCause> {
  for (const { module, name, line } of facts.imports) {
    if (name === undefined || !/^\w+(?:\.\w+)*$/.test(module)) continue;
    const owner = packageOf(module) ?? normalizeName(module.split('.')[0] ?? '');
    const rule = nameVersions.find((each) => each.package === owner && each.names.test(name));
    const one = rule && listed.find((each) => each.name === rule.package);
    const version = one && (pinnedVersion(one.wanted) ?? (/^[<~=]/.test(one.wanted) ? undefined : undefined));
    const below =
      one && /^<\s*([\d.]+)/.exec(one.wanted.split(',').find((part) => part.trim().startsWith('<')) ?? '')?.[1];
    if (!rule || !one) continue;
    const tooOld =
      rule.since !== undefined &&
      ((version !== undefined && isOlder(version, rule.since)) || (below !== undefined && !isOlder(rule.since, below)));
    const tooNew =
      rule.until !== undefined &&
      (one.wanted === '' ||
        (version !== undefined && !isOlder(version, rule.until)) ||
        (/^>/.test(one.wanted) && !/</.test(one.wanted)));
    if (tooOld || tooNew)
      yield {
        cause: 'package-api-changed',
        severity: version === undefined ? 'warning' : 'error',
        captured: { package: owner, name },
        at: { file, line },
        title:
          `${file} imports ${name} from ${module}, which ${owner} ${version ?? one.wanted ?? ''} does not have`.replace(
            / {2,}/g,
            ' ',
          ),
        why: tooOld ? `it came with ${owner} ${rule.since}` : `it is gone since ${owner} ${rule.until}`,
        fix: tooOld ? `${owner} = ">=${rule.since}"` : `${owner} = "<${rule.until}", or change the import`,
      };
  }
}

function* members(code: PythonCode, { file, facts, path }: Module): Generator<SeenCause> {
  const own = new Map<string, Module>();
  for (const { module, level, name, as } of facts.imports) {
    let folder = posix.dirname(path);
    for (let up = 1; up < level; up++) folder = posix.dirname(folder);
    const parts = [...(module === '' ? [] : module.split('.')), ...(name === undefined ? [] : [name])];
    const isWhole = name === undefined && as === module.split('.')[0] && module.includes('.');
    const target = isWhole || name === '*' ? undefined : code.find(parts, level > 0 ? [folder] : code.roots);
    const loaded = typeof target === 'string' ? code.modules.get(target) : undefined;
    if (loaded && as !== '') own.set(as, loaded);
  }
  const said = new Set<string>();
  for (const { object, name, line } of facts.members) {
    const target = own.get(object);
    if (
      !target ||
      target.facts.hasMore ||
      target.facts.names.has(name) ||
      /^__/.test(name) ||
      said.has(`${object}.${name}`) ||
      facts.made.has(object)
    )
      continue;
    if (code.find([name], [posix.dirname(target.path)]) !== undefined && target.path.endsWith('/__init__.py')) continue;
    said.add(`${object}.${name}`);
    const meant =
      closestName(name, target.facts.names) ??
      [...target.facts.names].find((each) => each.endsWith(`_${name}`) || each.startsWith(`${name}_`));
    yield {
      cause: 'import-name-missing',
      severity: 'error',
      captured: { module: target.file, name },
      at: { file, line },
      fix: meant && `use ${object}.${meant}, or define ${name} in ${target.file}`,
    };
  }
}

/** A file that has the name of a package hides it. */
function* shadowing(shipment: Shipment, packages: Packages, { file, path, facts }: Module): Generator<SeenCause> {
  const name = posix.basename(file, '.py');
  if (
    file.includes('/') ||
    /^(?:main|app|server|__init__|config|utils|models|types|test)$/.test(name) ||
    posix.dirname(path) !== shipment.workdir
  )
    return;
  const known = packageOf(name);
  const isOther =
    (known !== undefined && packages.has(known)) ||
    (standardModules.has(name) && !/^(?:types|code|site|this|test|token|symbol|parser|statistics)$/.test(name));
  if (isOther && facts.brokenLine === undefined)
    yield {
      cause: 'circular-import',
      severity: 'warning',
      captured: { module: name },
      at: { file, line: 1 },
      title: `${file} hides the ${standardModules.has(name) ? 'module of Python' : 'package'} ${name}`,
      fix: `give ${file} another name`,
    };
}

function* neededFeatures(shipment: Shipment, packages: Packages, code: PythonCode): Generator<SeenCause> {
  if (packages.hasOthers) return;
  const said = new Set<string>();
  for (const { file, facts } of code.modules.values()) {
    for (const feature of features) {
      const imported =
        feature.imports &&
        facts.imports.find(({ module, name }) =>
          feature.imports?.test(name === undefined ? module : `${module}.${name}`),
        );
      const called =
        feature.calls &&
        facts.calls.find(
          (call) =>
            feature.calls?.test(call.name) &&
            (!feature.with ||
              Object.keys(call.keywords).some((key) => feature.with?.test(key)) ||
              call.arguments.some((each) => each !== undefined && feature.with?.test(each))),
        );
      const found = imported ?? called;
      const [first = ''] = feature.needs;
      if (!found || said.has(first) || feature.needs.some((each) => packages.has(each))) continue;
      const { names, isWhole } = packages.all();
      if (!isWhole && commonlyBrought.has(first)) continue;
      if ([...names].some((each) => feature.needs.some((need) => each.startsWith(`${need}-`)))) continue;
      said.add(first);
      const what = imported
        ? `${imported.module}.${imported.name}`
        : `${called?.name}${feature.with ? ` with ${feature.with.source.replace(/[\^$()?:]/g, '').split('|')[0]}` : ''}`;
      yield {
        cause: 'module-missing',
        severity: 'warning',
        captured: { module: first, package: first },
        at: { file, line: found.line },
        title: `${what} needs ${first}, and nothing installs it`,
        fix: shipment.isDocker
          ? `install ${first} in ${shipment.config.custom?.dockerfile_path}`
          : `add ${first} to [cerebrium.dependencies.pip]: ${first} = "latest"`,
      };
    }
  }
}
