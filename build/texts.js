// Texts that the program itself makes, at build time: reading them is 20 to 50 ms faster than making them on each run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { escaped } from './ascii.js';
import { manPage } from './man-page.js';

/** @import { CommandHelp } from '../src/cli/program/help.ts' */

/**
 * Writes what the help of every command is made from (read by src/main.ts), the flags of all commands that a shell
 * may complete (src/cli/completion, which reads the others from that help), a completion script for each shell, the manual page, and the JSON Schema of cerebrium.toml.
 * @param {string} folder that holds the bundled program
 */
export async function writeTexts(folder) {
  const reference = JSON.parse(await stdoutOf(folder, 'help', '--json'));
  const { commands, flags, groups } = reference;
  writeFileSync(`${folder}/typable.json`, JSON.stringify(flags));

  const helps = new Map([['', JSON.parse(await stdoutOf(folder, '--help', '--json'))]]);
  for (const group of Object.keys(groups))
    helps.set(group, JSON.parse(await stdoutOf(folder, group, '--help', '--json')));
  for (const command of commands) helps.set(command.command, helpOf(command));
  const lines = [...helps].map(([name, source]) => `\n${name}\t${JSON.stringify(source)}`);
  writeFileSync(`${folder}/help.txt`, escaped(`${lines.join('')}\n`));

  mkdirSync(`${folder}/completion`);
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    writeFileSync(`${folder}/completion/${shell}`, completionScript(shell));
  }

  const environment = JSON.parse(await stdoutOf(folder, 'help', 'environment', '--json'));
  writeFileSync(`${folder}/gantry.1`, manPage(reference, environment));
  writeFileSync(`${folder}/cerebrium.schema.json`, await stdoutOf(folder, 'check', '--schema'));
}

/**
 * What help and completion need of a command: half of the reference is exit codes.
 * @param {CommandHelp} command
 * @returns {CommandHelp}
 */
function helpOf({ command, summary, details, usage, arguments: inputs, flags, json, examples }) {
  return { command, summary, details, usage, arguments: inputs, flags, json, examples };
}

/**
 * @param {string} folder
 * @param {string[]} words
 */
async function stdoutOf(folder, ...words) {
  const { main, processIo } = createRequire(import.meta.url)(resolve(folder, 'main.cjs'));
  let text = '';
  const stdout = {
    write(/** @type {string} */ part, /** @type {() => void} */ done) {
      text += part;
      done();
    },
  };
  const code = await main(words, { ...processIo(), stdout });
  if (code !== 0) throw new Error(`gantry ${words.join(' ')} exited with ${code}`);
  return text;
}

/**
 * The library prints its script to stdout, so it runs in a process of its own.
 * @param {string} shell
 */
function completionScript(shell) {
  const program = `import { script } from '@bomb.sh/tab'; script(${JSON.stringify(shell)}, 'gantry', 'gantry');`;
  const script = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return (fixes[shell] ?? []).reduce(fixed(shell), script);
}

const joinWords = readFileSync(new URL('join-words.bash', import.meta.url), 'utf8').trim();

/**
 * What is wrong with the library's scripts, and what we write instead.
 * @type {Record<string, [problem: string, wrong: RegExp, right: string][]>}
 */
const fixes = {
  bash: [
    ['a shell cannot read it twice', /^readonly /gm, ''],
    ['needs the package bash-completion', /_get_comp_words_by_ref -n "=:" cur prev words cword/g, joinWords],
    ['expands what was typed', /\$\{words\[@\]:1\}/g, `$(printf '%q ' "\${whole[@]:1}")`],
    ['adds an empty word for the same', / +# Add an empty[\s\S]*?fi\n/g, ''],
    [
      'inserts what is before a colon again',
      /completions\+=\("\$(value|comp)"\)/g,
      `completions+=("\${$1#"$before"}")`,
    ],
    ['completes no file names', /complete -F/g, 'complete -o default -F'],
  ],
  zsh: [
    [
      'needs compinit',
      /^compdef _gantry gantry$/m,
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\ncompdef _gantry gantry',
    ],
    ['takes what follows a colon for a description', /\$\{comp\/\/:\/\\:\}/g, `\${comp//:/\\\\:}`],
  ],
};

/**
 * @param {string} shell
 * @returns {(script: string, fix: [string, RegExp, string]) => string}
 */
function fixed(shell) {
  return (script, [problem, wrong, right]) => {
    const result = script.replace(wrong, (_, ...found) => right.replace('$1', String(found[0])));
    if (result === script) throw new Error(`the completion script for ${shell} has changed: it no longer "${problem}"`);
    return result;
  };
}
