import { gantryCommand } from '../../kernel/command-line.ts';
import type { Page } from '../../kernel/output/page.ts';
import type { Cell } from '../../kernel/output/table.ts';
import { isCanceled } from '../../platform/contract/builds.ts';

/** A status in the color of its phase, for a table. Of runs, the platform's own words stay in JSON. */
export function statusCell(status: string | null | undefined): Cell {
  if (!status) return undefined;
  return (page) => paintStatus(wordOf(status), page);
}

/** Our word for a status of the platform. */
export function wordOf(status: string): string {
  return isCanceled(status) ? 'canceled' : (ownWords[status] ?? status);
}

const ownWords: Readonly<Record<string, string>> = {
  failure: 'failed',
  not_started: 'not started',
  processing: 'in progress',
  success: 'succeeded',
};

/** The platform does not document its statuses, so the words in them decide; one without a known word has no color. */
export function paintStatus(status: string, { style }: Page, text = status): string {
  const words = status
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const [, color] = phases.find(([pattern]) => words.some((word) => pattern.test(word))) ?? [];
  const isNegated = color === 'green' && words.includes('not');
  return color ? style[isNegated ? 'yellow' : color](text) : text;
}

const phases: [words: RegExp, color: 'red' | 'yellow' | 'green'][] = [
  [
    /^(fail|failed|failure|error|crash|crashed|timeout|down|downtime|outage|expired|revoked|unpaid|overdue|declined)$|error/,
    'red',
  ],
  [
    /^(notready|pending|queued|building|initializing|progress|terminating|starting|deploying|degraded|maintenance|invited|open)$/,
    'yellow',
  ],
  [/^(success|succeeded|ready|active|running|completed|operational|paid|resolved)$/, 'green'],
];

export const noProject: Cell = ({ inPlace }) => `none: run ${inPlace(gantryCommand`projects use p-…`)}`;
