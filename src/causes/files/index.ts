import { checkSource, startedFile } from '../../app/app-source.ts';
import type { AppConfig } from '../../app/config.ts';
import type { FileEntry, SkippedFile } from '../../app/files/entry.ts';
import type { ParserOptions } from '../../app/python-syntax.ts';
import type { Requirements } from '../../app/resolver.ts';
import { locateSetting } from '../../app/set-config-value.ts';
import type { FileLocation, Problem } from '../../kernel/errors.ts';
import { fill } from '../fill.ts';
import { lookAtData } from './data.ts';
import { lookAtDockerfile, lookAtImageNames } from './dockerfile.ts';
import { lookAtFunctions } from './functions.ts';
import { lookAtImageCommands } from './image-commands.ts';
import { lookAtImports } from './imports.ts';
import { lookAtListening } from './listening.ts';
import { LookedApp } from './looked-app.ts';
import { lookAtMembers } from './members.ts';
import { lookAtOpened } from './opened.ts';
import { lookAtPackageNames } from './package-names.ts';
import { lookAtPins, lookAtPythonVersion } from './pins.ts';
import { lookAtStages } from './programs.ts';
import { lookAtPython } from './python.ts';
import { lookAtRequirements } from './requirements.ts';
import { installedAtOnce, resolverRequirements, whyUnresolved } from './resolution.ts';
import { lookAtChecks } from './routes.ts';
import { lookAtScripts } from './scripts.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import { lookAtShellScripts } from './shell-scripts.ts';
import { Shipment } from './shipment.ts';
import { lookAtSourceImports } from './source-imports.ts';
import { lookAtStart } from './started.ts';
import { lookAtSystem } from './system.ts';
import { lookAtTemplates } from './templates.ts';
import { lookAtVariableNames, missingSecrets, type Needed, variablesOf } from './variables.ts';

/** What an app is when it is looked at. */
export interface Looked {
  config: AppConfig;
  entries: readonly FileEntry[];
  skipped: readonly SkippedFile[];
  /** How the app folder is named in messages: the path to it from the working directory. */
  shownAs: (path: string) => string;
  /** How the config file is named. */
  configFile: string;
  /** For the files whose syntax the parser here does not know; without it, their syntax is not looked at. */
  parser?: ParserOptions | undefined;
}

export interface SeenProblems {
  problems: Problem[];
  /** What each is about. */
  names: ReadonlyMap<Problem, readonly string[]>;
  /** The variables that the code needs: whether there are secrets of these names, only the platform knows. */
  needed: readonly Needed[];
  /** What the look says for the secrets that there are. */
  secretProblems: (names: readonly string[], app: string | undefined) => Promise<Problem[]>;
  /** What the build installs in one go; undefined if the files do not tell it. */
  requirements: Requirements | undefined;
  /** What the look says for what a resolver says of it if it finds no versions. */
  unresolvedProblems: (said: string) => Promise<Problem[]>;
}

/** In this order: what two of them find is named by the first. */
const looks: readonly ((app: LookedApp) => Iterable<SeenCause>)[] = [
  lookAtImports,
  lookAtPython,
  lookAtOpened,
  lookAtTemplates,
  lookAtRequirements,
  lookAtPins,
  lookAtPackageNames,
  lookAtPythonVersion,
  lookAtDockerfile,
  lookAtImageNames,
  lookAtStages,
  lookAtImageCommands,
  lookAtScripts,
  lookAtSourceImports,
  lookAtMembers,
  lookAtStart,
  lookAtFunctions,
  lookAtListening,
  lookAtChecks,
  lookAtSystem,
  lookAtData,
  lookAtVariableNames,
];

/** Looks for causes of failures in the files that are sent. Runs nothing, and asks nobody. */
export async function lookAtFiles(looked: Looked): Promise<SeenProblems> {
  const { config, entries, skipped } = looked;
  const app = new LookedApp(new Shipment(config, entries, skipped));
  const { shipment, packages } = app;
  const { needed } = variablesOf(app);
  const findings = [
    ...looks.flatMap((look) => [...look(app)]),
    ...(looked.parser ? await lookAtShellScripts(app, looked.parser) : []),
  ];
  // What is kept until the secrets are known must not keep all files.
  const placed = needed.map((each) => ({ each, place: placeOf(each, looked, shipment) }));
  const listed = installedAtOnce(shipment, packages);
  const asked = listed.map((each) => ({ ...each, place: placeOf(each.at, looked, shipment) }));
  const names = new Map<Problem, string[]>();
  for (const each of distinct(findings)) {
    const about = Object.values(each.captured ?? {}).filter((value) => value !== each.at?.file);
    names.set(await toProblem(each, looked, shipment), about);
  }
  const problems = [...(await brokenFiles(app, looked)), ...names.keys()];
  return {
    problems,
    names,
    needed,
    secretProblems: (names, app) =>
      Promise.all(
        placed.flatMap(({ each, place }) => missingSecrets([each], names, app).map((cause) => problemAt(cause, place))),
      ),
    requirements: resolverRequirements(asked, shipment.python()),
    unresolvedProblems: async (said) => {
      const [unresolved, { place, at } = {}] = whyUnresolved(said, asked) ?? [];
      const isSaid = problems.some(({ cause, severity }) => cause === unresolved?.cause && severity === 'error');
      if (!unresolved || isSaid) return [];
      return [await problemAt(unresolved, place ?? (await placeOfSetting(at, looked)))];
    },
  };
}

/** The parser here forgives much: what it does not know is asked of Python. The file that is started was read already. */
async function brokenFiles({ modules }: LookedApp, { config, shownAs, parser }: Looked): Promise<Problem[]> {
  const started = startedFile(config);
  const broken = modules.filter(({ facts, file }) => facts.isBroken && file !== started);
  const problems = await Promise.all(
    broken.slice(0, 5).map(({ file }) => (parser ? checkSource(config, file, shownAs(file), parser) : [])),
  );
  return problems.flat();
}

/** One thing is said once: what two looks find is named by the first of them. */
function distinct(findings: readonly SeenCause[]): SeenCause[] {
  const said = new Set<string>();
  return findings.filter(({ cause, at, captured }) => {
    const id = JSON.stringify([cause, at, Object.values(captured ?? {})[0]]);
    const isNew = !said.has(id);
    said.add(id);
    return isNew;
  });
}

async function toProblem(finding: SeenCause, looked: Looked, shipment: Shipment): Promise<Problem> {
  const { at } = finding;
  return problemAt(finding, placeOf(at, looked, shipment) ?? (await placeOfSetting(at, looked)));
}

async function placeOfSetting(
  at: CausePlace | undefined,
  { config, configFile }: Looked,
): Promise<FileLocation | undefined> {
  return at?.setting === undefined ? undefined : locateSetting(config, configFile, at.setting);
}

async function problemAt(
  { cause, isCertain, captured = {}, why, title, fix }: SeenCause,
  location: FileLocation | undefined,
): Promise<Problem> {
  // Most apps have no problem, and need none of the rules.
  const { causeInFiles } = await import('../rules/index.ts');
  const said = causeInFiles(cause);
  return {
    severity: isCertain ? 'error' : 'warning',
    message: title ?? fill(said.title, captured),
    cause,
    location,
    why,
    fix: fix ?? fill(said.fix, captured),
  };
}

function placeOf(at: CausePlace | undefined, { shownAs }: Looked, shipment: Shipment): FileLocation | undefined {
  if (at?.file === undefined) return undefined;
  const text = shipment.text(at.file)?.split('\n')[(at.line ?? 1) - 1]?.replace(/\r$/, '') ?? '';
  const column = /\S/.exec(text)?.index ?? 0;
  return {
    file: shownAs(at.file),
    line: at.line ?? 1,
    column: column + 1,
    length: Math.max(1, [...text.trim()].length),
    text,
  };
}
