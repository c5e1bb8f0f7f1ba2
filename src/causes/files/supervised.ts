import { flagOf } from '../../app/shell.ts';

/** A command that a supervisor starts, and where its settings say so. These formats are read nowhere else. */
export interface Supervised {
  text: string;
  file: string;
  line: number;
  folder?: string | undefined;
}

/** Programs that start others, and the files that name these. */
const supervisors: Readonly<Record<string, (words: readonly string[]) => RegExp>> = {
  supervisord: (words) => pathOr(flagOf(words, '-c', '--configuration'), /^\/etc\/supervisor(?:d\.conf$|\/.*\.conf$)/),
  honcho: (words) => pathOr(flagOf(words, '-f', '--procfile'), /\/Procfile$/),
  foreman: (words) => pathOr(flagOf(words, '-f', '--procfile'), /\/Procfile$/),
};

const pathOr = (named: string | undefined, usual: RegExp) =>
  named === undefined
    ? usual
    : new RegExp(`(?:^|/)${named.replace(/^[./]+/, '').replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')}$`);

/** The files of a program that starts others; undefined for another program. */
export const settingsOf = (program: string, words: readonly string[]): RegExp | undefined =>
  Object.hasOwn(supervisors, program) ? supervisors[program]?.(words) : undefined;

/** `[program:web]` with its command, or `web: command`. */
export function supervisedIn(text: string, file: string): Supervised[] {
  const found: Supervised[] = [];
  const isList = !/^\[/m.test(text);
  let section = '';
  for (const [at, each] of text.split(/\r?\n/).entries()) {
    section = /^\[(.*)\]/.exec(each)?.[1] ?? section;
    const [, name = '', value = ''] = (isList ? /^([\w-]+):\s*(\S.*)$/ : /^(\w+)\s*=\s*(\S.*)$/).exec(each) ?? [];
    const own = found.at(-1);
    if (isList ? name !== '' : name === 'command' && section.startsWith('program:'))
      found.push({ text: plain(value), file, line: at + 1 });
    else if (name === 'directory' && own) own.folder = value;
  }
  return found;
}

/** Without the comment at its end; `%(ENV_PORT)s` is a variable. */
const plain = (text: string) => text.replace(/\s;.*$/, '').replace(/%\(ENV_(\w+)\)s/g, '$$$1');
