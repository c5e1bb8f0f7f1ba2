import { type LabeledLine, splitLogText } from '../operations/logs/index.ts';
import { localTime } from '../output/format.ts';
import type { Page, View } from '../output/page.ts';
import type { Style } from '../output/style.ts';

export interface LogLineFlags {
  timestamps?: true | undefined;
  /** Nothing before it and nothing changed in it. */
  raw?: true | undefined;
}

/** How a command shows what an app printed: line by line, and as JSON in the platform's own names. */
export const appLogOutput = {
  view: logLineView,
  data: ({ line }: LabeledLine) => line.original,
  raw: ({ raw }: LogLineFlags) => raw === true,
  passesThrough: true as const,
  json: {
    timestamp: 'RFC 3339, UTC',
    logLineView: 'the line as it came',
    stream: 'stdout or stderr',
    containerId: 'container that printed it',
    containerName: 'its full name',
    runId: 'run during which it was printed',
    lineNumber: 'its place in what the container printed',
    logId: 'line id',
    appId: 'app id',
    projectId: 'project',
  },
};

/** `2026-11-20 14:00:05.123 [web-1/stderr] text`, as much of it as was asked for and is needed. */
export function logLineView({ line, containers, streams }: LabeledLine, { timestamps, raw }: LogLineFlags): View {
  return (page) => {
    const time = timestamps && line.timestamp ? `${page.style.dim(timeOf(line.timestamp))} ` : '';
    if (raw) return time + line.text;
    const label = labelOf(line, containers, streams, page);
    const paint = line.stream === 'stderr' ? page.style.yellow : (text: string) => text;
    return splitLogText(line.text)
      .map((text) => time + label + paint(text))
      .join('\n');
  };
}

/** By the clocks where the user is, to the millisecond. */
function timeOf(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return `${localTime(timestamp)}.${fraction.padEnd(3, '0').slice(0, 3)}`;
}

function labelOf(
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

/** The same for the same name, always. */
function colorOf(name: string): (typeof colors)[number] {
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1_000_003, 0);
  return colors[sum % colors.length] ?? 'cyan';
}
