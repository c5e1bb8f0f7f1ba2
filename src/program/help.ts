import type { Command as Commander } from 'commander';
import type { Command } from '../command.ts';
import { wrapText } from '../output/format.ts';

/** In columns, whatever the terminal is: the texts of help are rendered at build time (build/texts.js). */
const helpWidth = 80;

/** The form of every `--help`. */
export function configureHelp(root: Commander, write: (text: string) => void): void {
  root
    .description('Deploy, run and manage apps on the hosting platform.')
    .usage('<command> [flags]')
    .helpOption('-h, --help', 'show help')
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {}, getOutHelpWidth: () => helpWidth })
    .configureHelp({
      showGlobalOptions: true,
      optionTerm: (option) => (option.long === '--json' ? '--json[=fields]' : option.flags),
    })
    .addHelpText('after', '\nhelp topics: exit-codes, environment, json, faults (gantry help <topic>)');
}

/** The sections of a command's help that commander does not know: examples and JSON fields. */
export function commandHelp({ examples, json }: Command): string {
  const widest = Math.max(14, ...Object.keys(json).map((field) => field.length));
  const fields = Object.entries(json).map(([field, meaning]) => {
    const lines = wrapText(meaning, helpWidth - widest - 3);
    return `  ${field.padEnd(widest)} ${lines.join(`\n${' '.repeat(widest + 3)}`)}`;
  });
  const section = (title: string, lines: string[]) => (lines.length ? `\n${title}:\n${lines.join('\n')}` : '');
  const commandLines = examples.map((example) => `  $ gantry ${example}`);
  return [section('Examples', commandLines), section('JSON', fields)].filter(Boolean).join('\n');
}
