import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line for each part, and each change that no test noticed.
 * @param {string} results @param {string[]} parts */
export function summarize(results, parts) {
  const unnoticed = [];
  const rows = [row('part', statuses)];
  for (const part of parts) {
    const report = join(results, part, 'report.json');
    if (!existsSync(report)) {
      rows.push(`${part.padEnd(10)}  not tried`);
      continue;
    }
    /** @type {Record<string, { source: string, mutants: Mutant[] }>} */
    const files = JSON.parse(readFileSync(report, 'utf8')).files;
    const mutants = Object.values(files).flatMap((file) => file.mutants);
    rows.push(
      row(
        part,
        statuses.map((status) => mutants.filter((mutant) => mutant.status === status).length),
      ),
    );
    for (const [file, { source, mutants: all }] of Object.entries(files))
      for (const mutant of all.filter(({ status }) => status !== 'Killed'))
        unnoticed.push(`${mutant.status}: ${file}:${mutant.location.start.line}\n${change(source, mutant)}`);
  }
  return `${rows.join('\n')}\n\n${unnoticed.join('\n')}`;
}

/** @typedef {{ line: number, column: number }} Place */
/** @typedef {{ status: string, replacement: string, location: { start: Place, end: Place } }} Mutant */

const statuses = ['Killed', 'Timeout', 'NoCoverage', 'Survived', 'RuntimeError'];

/** @param {string} part @param {(string | number)[]} cells */
function row(part, cells) {
  return [part.padEnd(10), ...cells.map((cell) => String(cell).padStart(14))].join('');
}

/** @param {string} source @param {Mutant} mutant */
function change(source, { replacement, location: { start, end } }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const before = lines.join('\n');
  const tail = (lines.at(-1) ?? '').slice(end.column - 1);
  return `- ${before}\n+ ${before.slice(0, start.column - 1)}${replacement}${tail}\n`;
}
