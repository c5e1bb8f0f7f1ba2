import { dirname, posix } from 'node:path';
import { isPlainImage } from '../../app/image-contents.ts';
import { pipLines } from '../../app/pip-line.ts';
import { decodeRequirements } from '../../app/requirements.ts';
import { groupsOf, lineWith } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { normalizeName, packageOf } from '../import-names.ts';
import { type Install, installedBy } from './package-commands.ts';
import {
  environmentLists,
  parseCondaPackage,
  parseRequirement,
  plainPath,
  projectName,
  projectRequirements,
  type Requirement,
  type RequirementLine,
} from './package-files.ts';
import type { CausePlace } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { broughtBy, hasUnknownExtra } from './tables.ts';

/** A package that the app lists. */
export interface Listed extends Requirement {
  at: CausePlace | undefined;
  /** What one command of pip installs has one number. */
  group: number;
}

/** Images of systems and languages have no packages of their own, nor have these. */
const others =
  /^(?:docker\.io\/)?(?:nginx|bitnami\/python|continuumio\/\w+|mambaorg\/\w+|condaforge\/\w+|mcr\.microsoft\.com\/playwright\/python|(?:ghcr\.io\/)?astral(?:-sh)?\/uv)(?::|@|$)/;
const isPlain = (base: string) => isPlainImage(base) || others.test(base);

type InstalledProject = Partial<Extract<Install, { kind: 'project' }>>;

/** Modules that two packages have. */
const alsoIn: Readonly<Record<string, string>> = { ninja: 'django-ninja' };

/** What the build installs, as far as the files say it. */
export class Packages {
  readonly listed: Listed[] = [];
  /** What bounds the versions of packages, and installs none. */
  readonly constraints: Listed[] = [];
  /** Packages of the system. */
  readonly apt = new Set<string>();
  /** Names that apt is given, where, and the image that it finds. */
  readonly aptNames: { name: string; at: CausePlace; base: string }[] = [];
  /** Lines of requirements files that are read. */
  readonly lines: RequirementLine[] = [];
  /** Requirements files that are named and not there, and where they are named. */
  readonly missingFiles: { path: string; at: CausePlace | undefined }[] = [];
  /** Whether something installs packages that the files do not name. */
  hasOthers = false;
  /** Whether the image has more than a system and a language. */
  readonly isOtherImage: boolean;
  /** Folders that are installed as packages: `.` is the app itself. */
  readonly projects = new Set<string>();
  private group = 0;
  private readonly read = new Set<string>();
  private readonly shipment: Shipment;

  constructor(shipment: Shipment) {
    this.shipment = shipment;
    const stages = shipment.isDocker ? shipment.stages : [shipment.stage()];
    this.isOtherImage = stages.some(({ base }) => !isPlain(base));
    this.hasOthers = this.isOtherImage;
    if (!shipment.isDocker) this.readSettings();
    for (const { words, at, before } of shipment.buildCommands()) {
      this.group += 1;
      for (const each of installedBy(words)) this.install(each, at, before.base);
    }
  }

  /** Everything that is installed, with what it brings along. */
  all = once((): { names: ReadonlySet<string>; isWhole: boolean } => {
    const brought = this.listed.map(({ name, extras }) => broughtBy(name, extras));
    const names = new Set(this.listed.map(({ name }) => name));
    for (const each of brought) for (const name of each ?? []) names.add(name);
    return { names, isWhole: !this.hasOthers && this.unknown().length === 0 };
  });

  has(name: string): boolean {
    return this.all().names.has(name);
  }

  /** The versions that are wanted of a package: empty for any, undefined if it is not installed. */
  wanted(name: string): string | undefined {
    return this.listed.find((each) => each.name === name)?.wanted ?? (this.has(name) ? '' : undefined);
  }

  /** Packages that may bring what nobody knows. */
  unknown = once(() =>
    this.listed.filter(({ name, extras }) => !broughtBy(name, extras) || hasUnknownExtra(name, extras)),
  );

  /** Where packages are looked for, besides PyPI. */
  indexes = once((): string[] => [
    ...this.lines.flatMap(({ text }) => (/^(?:-i|-f|--(?:extra-)?index-url|--find-links)\b/.test(text) ? text : [])),
    ...this.shipment.buildTexts().filter((text) => /index-url|find-links/.test(text)),
  ]);

  /** Whether an installed package has a module. Undefined if it may be so. */
  provides(module: string): boolean | undefined {
    const { names, isWhole } = this.all();
    const owner = packageOf(module);
    const [top = ''] = module.split('.');
    // In the image, the installed package may be in another place than its files.
    if (
      [...this.projects].some((project) => ['', 'src'].some((each) => this.hasModule(posix.join(project, each, top))))
    )
      return true;
    const plain = normalizeName(module.split('.')[0] ?? '');
    const isThere = owner === undefined ? this.hasLike(plain) : isOneOf(owner, plain, names);
    return isThere || this.hasOther(top, owner ?? plain) || (isWhole ? false : undefined);
  }

  /** Whether another package has this module, or Debian does. */
  private hasOther(module: string, owner: string): boolean {
    const debian = [...this.apt].flatMap((each) => groupsOf(/^python3-(.+)$/, each)[1] ?? []);
    return debian.some((each) => owner === each || owner.startsWith(`${each}-`)) || this.has(alsoIn[module] ?? '');
  }

  private hasModule(path: string): boolean {
    return this.shipment.sent.has(`${path}.py`) || this.shipment.hasFolder(path);
  }

  /** Nobody knows the module: a package of nearly this name may have it. */
  private hasLike(plain: string): boolean {
    const isLike = ({ name }: Listed) => name === plain || name.startsWith(`${plain}-`) || name.endsWith(`-${plain}`);
    return this.has(plain) || this.listed.some(isLike);
  }

  /** What adds a package. */
  fixOf(name: string): string {
    const { isDocker, config } = this.shipment;
    return isDocker
      ? `install ${name} in ${config.custom?.dockerfile_path}`
      : `add ${name} to [cerebrium.dependencies.pip]: ${name.includes('[') ? `"${name}"` : name} = "latest"`;
  }

  /** What adds a package of the system. */
  aptFixOf(name: string): string {
    return this.shipment.isDocker
      ? `RUN apt-get update && apt-get install -y ${name}`
      : `add ${name} to [cerebrium.dependencies.apt]: ${name} = "latest"`;
  }

  private readSettings(): void {
    const { pip, conda, apt, paths } = this.shipment.config.dependencies;
    for (const [name, version] of Object.entries(pip))
      this.add(name + versionIn(version), { setting: `dependencies.pip.${name}` });
    for (const { text, at } of this.namesIn('conda', conda, paths.conda)) this.addConda(text, at);
    for (const { text, at } of this.namesIn('apt', apt, paths.apt)) this.addApt(text, at, this.shipment.stage().base);
    this.readUsual();
  }

  /** What pip installs from a file. */
  private readUsual(): void {
    const { pip, paths } = this.shipment.config.dependencies;
    const usual = this.shipment.sent.has('requirements.txt') ? 'requirements.txt' : undefined;
    if (paths.pip !== undefined) {
      // Its text is sent, wherever the file lies.
      const isHere = this.shipment.sent.has(plainPath(paths.pip));
      this.readRequirements(isHere ? paths.pip : (usual ?? paths.pip), { setting: 'dependencies.paths.pip' });
    } else if (usual && Object.keys(pip).length === 0) this.readRequirements(usual, undefined);
  }

  /** The names of a table of the settings, and of the lines of a list that are no comments. */
  private namesIn(key: string, table: Readonly<Record<string, string>>, path = ''): { text: string; at: CausePlace }[] {
    const lines = this.textOf(path)?.split('\n') ?? [];
    return [
      ...Object.keys(table).map((text) => ({ text, at: { setting: `dependencies.${key}.${text}` } })),
      ...lines
        .map((text, at) => ({ text: text.trim(), at: { file: plainPath(path), line: at + 1 } }))
        .filter(({ text }) => /^\w/.test(text)),
    ];
  }

  private addApt(name: string, at: CausePlace, base: string): void {
    this.apt.add(name);
    this.aptNames.push({ name, at, base });
  }

  private textOf(path: string): string | undefined {
    const bytes = this.shipment.bytes(plainPath(path));
    return bytes && decodeRequirements(bytes).text;
  }

  private list(requirement: Requirement | undefined, at: CausePlace | undefined): void {
    if (requirement && requirement.name !== 'python') this.listed.push({ ...requirement, at, group: this.group });
  }

  private add(text: string, at: CausePlace | undefined): void {
    this.list(parseRequirement(text), at);
    // What is made from sources may need more than is known.
    if (/git\+|:\/\/(?!.*\.whl)/.test(text)) this.hasOthers = true;
  }

  private addConda(text: string, at: CausePlace | undefined): void {
    this.list(parseCondaPackage(text), at);
  }

  /** A requirements file, with those that it includes. */
  private readRequirements(path: string, at: CausePlace | undefined): void {
    const file = plainPath(path);
    if (this.read.has(file)) return;
    this.read.add(file);
    const text = this.textOf(file);
    if (text === undefined) this.missFile(file, at);
    else if (/\.toml$|Pipfile$/.test(file)) this.readProject(file);
    else
      for (const each of pipLines(text)) {
        const line = { ...each, file };
        this.lines.push(line);
        this.readLine(line);
      }
  }

  private missFile(path: string, at: CausePlace | undefined): void {
    this.missingFiles.push({ path, at });
    this.hasOthers = true;
  }

  private readLine({ text, file, line }: RequirementLine): void {
    const at = { file, line };
    const [, flag, other = ''] = groupsOf(/^(-r|--requirement|-c|--constraint)[ =]*(.+)$/, text);
    if (flag !== undefined) {
      const before = this.listed.length;
      this.readRequirements(posix.join(dirname(file), other.trim()), at);
      // A constraint installs nothing.
      if (/^(?:-c|--con)/.test(flag)) for (const each of this.listed.splice(before)) this.constraints.push(each);
    } else if (/^(?:-e|--editable|\.{1,2}(?:\/|\[|$))/.test(text)) this.editable(text.replace(/^-\S+[ =]*/, ''));
    else if (!text.startsWith('-')) this.add(text, at);
  }

  private editable(path: string): void {
    const folder = posix.normalize(path.replace(/\[.*$/, '') || '.');
    const project = posix.join(folder, 'pyproject.toml');
    this.projects.add(folder);
    if (this.shipment.sent.has(project)) this.readProject(project);
    else this.hasOthers = true;
  }

  private readProject(file: string, isProduction?: boolean): void {
    const text = this.shipment.text(file);
    const requirements = text === undefined ? [] : projectRequirements(text, isProduction);
    if (!requirements) this.hasOthers = true;
    for (const each of requirements ?? []) if (!this.installMembers(each.name)) this.list(each, { file });
  }

  /** Whether a name is that of a project in a folder of the app, which is installed then: of a workspace, or by its path. */
  private installMembers(name: string): boolean {
    const members = this.members().filter((each) => name === '*' || each.name === name);
    for (const { folder } of members) if (!this.projects.has(folder)) this.installProject(true, { folder });
    return members.length > 0;
  }

  private members = once(() =>
    [...this.shipment.sent.keys()].flatMap((path) => {
      const name = path.endsWith('/pyproject.toml') ? projectName(this.shipment.read(path)) : undefined;
      return name === undefined ? [] : [{ name, folder: dirname(path) }];
    }),
  );

  private readEnvironment(file: string): void {
    const text = this.textOf(file) ?? '';
    const lists = environmentLists(text);
    if (!lists) this.hasOthers = true;
    for (const each of lists?.conda ?? []) this.addConda(each, { file });
    for (const line of lists?.pip ?? []) this.readLine({ text: line, file, line: lineWith(text, line) ?? 1 });
  }

  /** What a command of the build installs. */
  private install(item: Install, at: CausePlace, base: string): void {
    const folder =
      item.kind === 'pip' && item.text.includes('/') && this.builtFile(posix.join(item.text, 'pyproject.toml'));
    if (folder) this.installProject(true, { folder: dirname(folder) });
    else if (item.kind === 'pip') this.add(item.text, at);
    else if (item.kind === 'conda') this.addConda(item.text, at);
    else if (item.kind === 'apk') this.apt.add(item.text);
    else if (item.kind === 'apt') this.addApt(item.text, at, base);
    else if (item.kind === 'requirements') this.installRequirements(item.file, at);
    else if (item.kind === 'constraints') this.constrain(this.builtFile(item.file) ?? plainPath(item.file));
    else if (item.kind === 'environment') this.installEnvironment(item.file);
    else if (item.kind === 'unknown') this.hasOthers = true;
    else if (item.kind === 'project') this.installProject(item.isPackage, item);
  }

  private installProject(isPackage: boolean, { folder = '.', member, isProduction }: InstalledProject): void {
    if (member !== undefined && this.installMembers(member)) return;
    const project = posix.join(folder, 'pyproject.toml');
    const path = this.builtFile(project) ?? project;
    if (isPackage) this.projects.add(posix.normalize(folder));
    this.hasOthers ||= !this.shipment.sent.has(path);
    this.readProject(path, isProduction);
  }

  private constrain(file: string): void {
    if (this.shipment.sent.has(file)) this.readLine({ text: `-c ${file}`, file: '', line: 1 });
  }

  private installRequirements(file: string, at: CausePlace | undefined): void {
    const path = this.builtFile(file) ?? plainPath(file);
    const isMade = !this.shipment.sent.has(path) && (this.shipment.isDocker || this.makesFiles());
    if (isMade) this.hasOthers = true;
    else this.readRequirements(path, at);
  }

  private installEnvironment(file: string): void {
    const name = posix.basename(file);
    const path = this.builtFile(file) ?? this.shipment.paths.find((each) => posix.basename(each) === name);
    if (path === undefined) this.hasOthers = true;
    else this.readEnvironment(path);
  }

  /** A file that a command of the build may make is not looked for. */
  private makesFiles(): boolean {
    return this.shipment.builds(
      /^(?:git|curl|wget|cd|tar|unzip|cp|mv|python[\d.]*|(?:ba)?sh|hf|huggingface-cli|gdown|aws)(?: |$)/,
    );
  }

  /** The file of the app that a command of the build has at a path. */
  private builtFile(path: string): string | undefined {
    const stages = this.shipment.stages;
    const paths = stages.map(({ files, workdir }) => files.get(posix.resolve(workdir, path)));
    return this.shipment.fileAt(path) ?? paths.find((each) => each !== undefined);
  }
}

/** A version of the settings as pip has it. */
function versionIn(text: string): string {
  if (/^(?:latest|\*)?$/.test(text.trim())) return '';
  if (/:\/\/|^@/.test(text)) return ` @ ${text.replace(/^@\s*/, '')}`;
  return /^\s*[<>=!~^]/.test(text) ? text : `==${text}`;
}

/** Other packages that have the modules of one: `psycopg2-binary`, `faiss-cpu`, `opencv-python` for `opencv-python-headless`. */
function isOneOf(owner: string, plain: string, names: ReadonlySet<string>): boolean {
  const stem = owner.replace(/-(?:headless|cpu|gpu|binary|python)(?:-headless)?$/, '');
  const stems = new Set([owner, ...(stem.length > 3 ? [stem] : []), ...(plain === owner ? [] : [plain])]);
  return [...names].some((name) => [...stems].some((each) => name === each || name.startsWith(`${each}-`)));
}
