import { duration, localTime, printablePath } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';

/** A call that was answered, as far as its line shows it. */
export interface CallLine {
  method: string;
  path: string;
  /** Absent if the caller disconnected first. */
  status?: number | undefined;
  durationMs: number;
  kind: 'call' | 'accepted' | 'ended' | 'websocket';
  isComplete: boolean;
  /** Status of the run whose response broke off. Absent if the caller disconnected. */
  runStatus?: number | undefined;
}

/** `14:00:05 POST /run 200 34 ms`, after the name of the app if there are several. */
export function callLine(call: CallLine, at: string, app: string | undefined): View {
  const { method, path, status, durationMs, kind } = call;
  const label = app === undefined ? '' : `[${app}] `;
  return (page) => {
    const { style } = page;
    const notes = [kind === 'call' ? '' : callKinds[kind], whyIncomplete(call)].filter(Boolean);
    const words = [style.dim(clockTime(at)), method, path, statusText(status, page), style.dim(duration(durationMs))];
    return label + [...words.filter(Boolean), ...notes.map((note) => style.dim(`(${note})`))].join(' ');
  };
}

const callKinds = {
  accepted: 'async, accepted',
  ended: 'async, ended',
  websocket: 'websocket',
} as const;

function whyIncomplete({ isComplete, runStatus }: CallLine): string {
  if (isComplete) return '';
  if (runStatus === undefined) return 'the caller disconnected';
  return `broke off: the run ${runOutcome({ statusCode: runStatus }) === 'canceled' ? 'was canceled' : `ended with ${runStatus}`}`;
}

function statusText(status: number | undefined, { style }: Page): string {
  if (status === undefined) return '';
  const outcome = runOutcome({ statusCode: status });
  // An asynchronous run that was canceled, or lost its caller.
  if (/^(canceled|closed)$/.test(outcome)) return style.yellow(outcome);
  if (outcome === 'failed by the caller') return style.yellow(String(status));
  return outcome === 'succeeded' ? style.green(String(status)) : style.red(String(status));
}

/** A line that the app printed: labeled with the app, if there are several, and with its stream unless that is stdout. */
export function outputLine(text: string, stream: 'stdout' | 'stderr', app: string | undefined): View {
  return ({ style }) => {
    const labels = [app ?? '', stream === 'stderr' ? style.yellow(stream) : ''].filter(Boolean);
    return labels.length > 0 ? `[${labels.join('/')}] ${text}` : text;
  };
}

/** `14:00:10 main.py changed: web reloaded in 240 ms` */
export function reloadLine(app: string, { changed, tookMs }: { changed: string[]; tookMs: number }, at: string): View {
  const what = changed.length > 0 ? `${changedText(changed)}: ` : '';
  return ({ style }) => `${style.dim(clockTime(at))} ${what}${style.green(`${app} reloaded`)} in ${duration(tookMs)}`;
}

/** `14:00:20 main.py changed: not reloaded` */
export function failureLine(app: string, changed: string[], at: string): View {
  const what = changed.length > 0 ? `${changedText(changed)}: ` : '';
  return ({ style }) => `${style.dim(clockTime(at))} ${what}${style.red(`${app} not reloaded`)}`;
}

/** What calls get while the new version has an error. */
export function servingText(servingSince: string | undefined): string {
  return servingSince === undefined
    ? 'no version of it is running yet; waiting for a fix'
    : `still serving the version of ${clockTime(servingSince)}; waiting for a fix`;
}

/** What can be typed now. */
export function breakpointText(place: string): string {
  return `breakpoint() at ${place}: type c to go on, n for the next line, p NAME for a value, h for help`;
}

/** At most three names. */
function changedText(changed: string[]): string {
  const named = changed.slice(0, 3).map(printablePath);
  const more = changed.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} changed`;
}

/** In local time. */
function clockTime(at: string): string {
  return localTime(at).slice(11);
}

/** The keys of `gantry dev` on one line. */
export const keyLine = 'keys: r redeploy, o open, i inspect calls, c clear, l list, h help, q quit';

export const keyHelp = [
  'r  deploy again, changed or not',
  'o  open the app in the browser; its dashboard page, if it has only functions',
  'i  inspect the last calls in the browser, and send them again',
  'c  clear the screen',
  'l  list the addresses',
  'h  show this help',
  'q  quit, as Ctrl-C does',
].join('\n');
