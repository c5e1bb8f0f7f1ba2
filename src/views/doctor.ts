import type { Check } from '../operations/doctor/index.ts';
import type { Page, View } from '../output/page.ts';
import { wrapText } from '../output/wrap-text.ts';

const marks = {
  ok: { symbol: '✓', plain: 'ok', color: 'green' },
  warning: { symbol: '!', plain: '!', color: 'yellow' },
  failed: { symbol: '✗', plain: 'x', color: 'red' },
} as const;

/** One line per check, with its fix below. Long lines wrap on a terminal. */
export function checksView(checks: readonly Check[]): View {
  return (page) => {
    const names = Math.max(0, ...checks.map(({ check }) => check.length));
    return checks.map((check) => lines(check, names, page)).join('\n');
  };
}

function lines({ check, status, message, why, fix }: Check, names: number, { style, unicode, columns }: Page): string {
  const { symbol, plain, color } = marks[status];
  const mark = unicode ? symbol : plain.padEnd(2);
  const margin = ' '.repeat(mark.length + names + 3);
  const said = wrapText(why ? `${message}: ${why}` : message, columns - margin.length);
  const done = fix ? wrapText(`fix ${fix}`, columns - margin.length) : [];
  const [first = '', ...rest] = [...said, ...done.map((line) => style.dim(line))];
  return [`${style[color](mark)} ${check.padEnd(names)}  ${first}`, ...rest.map((line) => margin + line)].join('\n');
}
