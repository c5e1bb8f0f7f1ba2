import { type LogLine, splitLogText } from '../../calls/logs/index.ts';
import { localTime } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { BuildLogLine } from '../../platform/contract/builds.ts';
import { AppLogLine } from '../../platform/contract/logs.ts';
import { passThrough, sentFields, stream } from '../result-schema.ts';

export interface LogLineFlags {
  timestamps?: true | undefined;
  prefix?: true | undefined;
  /** Print the text unchanged, without its container. */
  raw?: true | undefined;
}

const appLine = passThrough(sentFields(AppLogLine));
const buildLine = passThrough(sentFields(BuildLogLine));

export const logOutput = {
  view: logLineView,
  data: ({ original }: LogLine) => original,
  raw: ({ raw }: LogLineFlags) => raw === true,
  json: stream(appLine, buildLine),
  formOf: ({ build }: { build?: unknown }) => stream(build === undefined ? appLine : buildLine),
};

/** `2026-11-20 14:00:05.123 [c00f418f-df34e] text`; the time and the container if the flags ask for them. */
export function logLineView(line: LogLine, { timestamps, prefix, raw }: LogLineFlags): View {
  return (page) => {
    const time = timestamps && line.timestamp ? `${page.style.dim(timeText(line.timestamp))} ` : '';
    if (raw) return time + line.text;
    const container = prefix ? containerText(line, page) : '';
    const paint = line.stream === 'stderr' ? page.style.yellow : (text: string) => text;
    return splitLogText(line.text)
      .map((text) => time + container + paint(text))
      .join('\n');
  };
}

/** In local time, with milliseconds. */
function timeText(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return `${localTime(timestamp)}.${fraction.padEnd(3, '0').slice(0, 3)}`;
}

/** The name without the app, which all lines have in common. */
function containerText({ original }: LogLine, { style }: Page): string {
  const container = original.containerName || original.containerId;
  if (typeof container !== 'string') return '';
  const app = `${original.appId}-`;
  const name = container.startsWith(app) ? container.slice(app.length) : container;
  return `[${style.cyan(name)}] `;
}
