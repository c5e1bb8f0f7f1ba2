import { posix } from 'node:path';
import { flagOf } from '../../app/shell.ts';
import { fits } from '../../kernel/groups.ts';

/** What a command of the build installs. */
export type Install =
  /** A requirement of pip, or a package of conda. */
  | { kind: 'pip' | 'conda' | 'apt' | 'apk'; text: string }
  /** `pip install -r`, `-c`, `conda env create -f`. */
  | { kind: 'requirements' | 'constraints' | 'environment'; file: string }
  /**
   * The app itself, a folder of it, or one of its projects by the name, `*` for all: `pip install .`, `uv sync --package api`.
   * `isPackage` is false if only what it needs is installed, `isProduction` if that is without what is for the development.
   */
  | {
      kind: 'project';
      isPackage: boolean;
      isProduction?: boolean;
      folder?: string | undefined;
      member?: string | undefined;
    }
  /** Something that the command does not name. */
  | { kind: 'unknown' };

/** Flags of pip whose value is not a requirement. */
const pipFlags =
  /^(?:-c|--constraint|-i|--index-url|--extra-index-url|-f|--find-links|-t|--target|--prefix|--python|--root-user-action|--timeout|--trusted-host|--cache-dir|--progress-bar)$/;

export function installedBy([program = '', ...rest]: readonly string[]): Install[] {
  const name = posix.basename(program);
  const installer = installers.find(({ names }) => names.test(name));
  return installer?.installs(rest, name) ?? [];
}

const installers: readonly { names: RegExp; installs: (rest: readonly string[], name: string) => Install[] }[] = [
  { names: /^(?:pip[\d.]*|uv|pipx|poetry|pdm)$/, installs: byPip },
  { names: /^(?:micro)?(?:conda|mamba)$/, installs: byConda },
  { names: /^(?:apt-get|apt|apk)$/, installs: bySystem },
  {
    names: /^pipenv$/,
    installs: ([verb]) => (fits(/^(?:install|sync)$/, verb) ? [{ kind: 'requirements', file: 'Pipfile' }] : []),
  },
  { names: /^(?:rye|hatch|make|just|(?:ba|da)?sh|.*\.sh)$/, installs: () => [{ kind: 'unknown' }] },
  { names: /^(?:python[\d.]*|spacy)$/, installs: byPython },
];

/** Packages of Debian or Alpine. */
function bySystem(rest: readonly string[], name: string): Install[] {
  const verb = rest.findIndex((word) => /^(?:install|add)$/.test(word));
  const names = verb < 0 ? [] : rest.slice(verb + 1).filter((word) => /^[a-z0-9]/.test(word));
  return names.map((word) => ({ kind: name === 'apk' ? 'apk' : 'apt', text: word.replace(/[=/].*$/, '') }));
}

const projectInstall = /^(?:poetry install|uv sync|pdm (?:install|sync))$/;

/** Flags of uv, Poetry and PDM that leave out groups of packages for the development. */
const forProduction =
  /(?:^| )--(?:no-dev|no-default-groups|prod(?:uction)?|only[ =]main|(?:without|no-group)[ =]dev)(?: |$)/;

function byPip(rest: readonly string[], name: string): Install[] {
  const isPackage = !rest.includes('--no-root') && !rest.includes('--no-install-project');
  const member = rest.includes('--all-packages') ? '*' : flagOf(rest, '--package');
  const folder = flagOf(rest, '--project', '--directory', '-C');
  if (projectInstall.test(`${name} ${rest.find((word) => /^[a-z]+$/.test(word))}`))
    return [{ kind: 'project', isPackage, isProduction: forProduction.test(rest.join(' ')), folder, member }];
  if (!rest.some((word) => word === 'install' || word === 'add')) return [];
  return rest.flatMap((word, at) => pipWord(word, rest[at - 1] ?? ''));
}

function pipWord(given: string, before: string): Install[] {
  // A version that a variable has.
  const word = given.replace(/(?<=[\w\]])==\$\{?\w+\}?$/, '');
  const file = /^(?:-r|--requirement)$/.test(before) ? word : /^(?:-r|--requirement=)(.+)/.exec(word)?.[1];
  if (file !== undefined) return [{ kind: 'requirements', file }];
  if (/^(?:-c|--constraint)$/.test(before)) return [{ kind: 'constraints', file: word }];
  if (/^\.(?:\/|\[|$)/.test(word)) return [{ kind: 'project', isPackage: true, folder: word.replace(/\[.*$/, '') }];
  if (/^-|^(?:install|pip|add)$/.test(word) || pipFlags.test(before)) return [];
  // Wheels that another stage has made, or a variable.
  if (/[*$]|^\/|\.(?:whl|tar\.gz|zip)$/.test(word)) return [{ kind: 'unknown' }];
  return [{ kind: 'pip', text: word }];
}

function byConda(rest: readonly string[]): Install[] {
  const file = rest.find((word, at) => fits(/^(?:-f|--file|-n)$/, rest[at - 1]) && /\.ya?ml$/.test(word));
  if (file !== undefined) return [{ kind: 'environment', file }];
  const names = rest.filter((word) => /^[a-z][\w.-]*(?:[=<>].*)?$/.test(word) && !condaWords.test(word));
  return names.map((text) => ({ kind: 'conda', text }));
}

const condaWords = /^(?:install|create|env|clean|update|base)$/;

/** Models of spaCy are packages: `python -m spacy download en_core_web_sm`. */
function byPython(rest: readonly string[]): Install[] {
  const at = rest.findIndex((word, index) => /^(?:pip|uv)$/.test(word) && rest[index - 1] === '-m');
  if (at >= 0) return byPip(rest.slice(at + 1), 'pip');
  const text = rest[rest.indexOf('download') + 1];
  return rest.includes('download') && text !== undefined ? [{ kind: 'pip', text }] : [];
}
