import { type LabeledLine, splitLogText } from '../operations/logs/index.ts';
import { localTime } from '../output/format.ts';
import type { Page, View } from '../output/page.ts';
import type { Style } from '../output/style.ts';
import { integer, passThrough, stream, text } from '../result-schema.ts';

export interface LogLineFlags {
  timestamps?: true | undefined;
  /** Print the text unchanged, without a label. */
  raw?: true | undefined;
}

/** How commands print an app log: as lines, or as JSON with the platform's field names. */
export const appLogOutput = {
  view: logLineView,
  data: ({ line }: LabeledLine) => line.original,
  raw: ({ raw }: LogLineFlags) => raw === true,
  json: stream(
    passThrough({
      timestamp: text('RFC 3339, UTC'),
      logLine: text('text of the line'),
      stream: text('stdout or stderr'),
      containerId: text('container id'),
      containerName: text('full name of the container'),
      runId: text('run id'),
      lineNumber: integer('number of the line in its container'),
      logId: text('line id'),
      appId: text('app id'),
      projectId: text('project'),
    }),
  ),
};

/** `2026-11-20 14:00:05.123 [web-1/stderr] text`; the time is optional, the label is shown if lines differ in it. */
export function logLineView({ line, containers, streams }: LabeledLine, { timestamps, raw }: LogLineFlags): View {
  return (page) => {
    const time = timestamps && line.timestamp ? `${page.style.dim(timeText(line.timestamp))} ` : '';
    if (raw) return time + line.text;
    const label = labelText(line, containers, streams, page);
    const paint = line.stream === 'stderr' ? page.style.yellow : (text: string) => text;
    return splitLogText(line.text)
      .map((text) => time + label + paint(text))
      .join('\n');
  };
}

/** In local time, with milliseconds. */
function timeText(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return `${localTime(timestamp)}.${fraction.padEnd(3, '0').slice(0, 3)}`;
}

function labelText(
  { container, stream }: LabeledLine['line'],
  containers: boolean,
  streams: boolean,
  { style }: Page,
): string {
  const parts = [
    containers && container ? style[colorOf(container)](container) : '',
    streams && stream ? (stream === 'stderr' ? style.yellow(stream) : stream) : '',
  ].filter(Boolean);
  return parts.length > 0 ? `[${parts.join('/')}] ` : '';
}

const colors = ['cyan', 'green', 'bold', 'red'] as const satisfies (keyof Style)[];

/** A stable color for each name. */
function colorOf(name: string): (typeof colors)[number] {
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1_000_003, 0);
  return colors[sum % colors.length] ?? 'cyan';
}
