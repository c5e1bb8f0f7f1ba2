import { groupsOf } from '../groups.ts';
import { foundInCode } from './script-imports.ts';
import type { CausePlace } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Where something says that it listens. */
export interface ListeningPlace {
  host?: string | undefined;
  port?: string | undefined;
  at: CausePlace | undefined;
  /** What says it. */
  what: string;
  /** Whether the host is only what the server takes if nothing is said. */
  isUsual?: boolean;
  /** The keyword of the call that takes the host. */
  keyword?: string;
  /** Whether the host is a setting, which a variable may replace. */
  isSetting?: boolean;
}

/** How a language says where it listens: groups `host`, `port`, or `values`, which has both by their names. */
interface Listener {
  files: RegExp;
  pattern: RegExp;
  /** Where it listens if it says a port, and no host. */
  usual?: (text: string) => string | undefined;
}

const script = /(?<!\.d)\.[cm]?[jt]sx?$/;
const address = String.raw`"(?<host>[\w.]*|\[[:\d]+\]):(?<port>\d{2,5})"`;
/** Fastify takes localhost, unlike the server of Node. */
const ofFastify = (text: string) => (/["']fastify["']/.test(text) ? 'localhost' : '0.0.0.0');

const listeners: readonly Listener[] = [
  { files: script, pattern: /\.listen\(\s*\{(?<values>[^{}]*)\}/g, usual: ofFastify },
  {
    files: script,
    pattern: /\.listen\(\s*(?<port>[^,(){}]+(?:\([^()]*\)[^,(){}]*)?)(?:,\s*["'](?<host>[^"']+)["'])?(?=[,)])/g,
    usual: () => '0.0.0.0',
  },
  {
    files: /(?<!_test)\.go$/,
    pattern: new RegExp(
      String.raw`\b(?:ListenAndServe|Run|Start|Listen|http\.Server\{[^}]*?Addr:\s*)\(?\s*(?:"tcp",\s*)?${address}`,
      'g',
    ),
  },
  {
    files: /\.rs$/,
    pattern: new RegExp(String.raw`${address}(?:(?<=\b(?:bind\(|SocketAddr\s*=)\s*&?\S+)|(?=\s*\.parse\b))`, 'g'),
  },
  {
    files: /\/application\.properties$/,
    pattern: /^server\.port\s*=\s*(?<port>\d{2,5})\s*$/gm,
  },
  { files: /\/application\.ya?ml$/, pattern: /^server:[ \t]*\n(?:[ \t]+.*\n)*?[ \t]+port:[ \t]*(?<port>\d{2,5})/gm },
  { files: /\.rs$/, pattern: /\bbind\(\(\s*"(?<host>[\w.]+)",\s*(?<port>\d{2,5})\b/g },
  { files: /\.rs$/, pattern: /SocketAddr::from\(\(\[(?<host>[\d,\s]+)\],\s*(?<port>\d{2,5})\)/g },
];

/** Where the sources of an image say that they listen, if they say it themselves. */
export function sourcesListen(shipment: Shipment): ListeningPlace[] {
  const isSet = shipment.stage().environment.has('PORT');
  const files = [...new Set(shipment.stages.flatMap((each) => [...each.files.values()]))];
  const found = listeners.flatMap((listener) =>
    foundInCode(files, shipment.read, listener.files, listener.pattern).flatMap(({ match, line, file }) =>
      placeIn(match, listener, isSet).map((place) => ({ ...place, at: { file, line }, what: file })),
    ),
  );
  // Only one of several may be the server that is reached.
  return found.map((each) => ({ ...each, isSetting: found.length > 1 }));
}

function placeIn({ groups = {}, input }: RegExpExecArray, { usual }: Listener, isSet: boolean) {
  const { host = valueIn(groups.values, 'host'), port = valueIn(groups.values, 'port') } = groups;
  const number = portOf(port, input, isSet);
  const says = groups.values !== undefined && /\bhost(?:name)?\b/.test(groups.values);
  const own = host?.replace(/,\s*/g, '.') || (says ? undefined : host === '' ? '0.0.0.0' : usual?.(input));
  return number === undefined && own === undefined ? [] : [{ host: own, port: number }];
}

const valueIn = (values: string | undefined, name: string) =>
  new RegExp(String.raw`\b${name}(?:name)?\s*:\s*["']?([^"',}]+?)["']?\s*(?:,|$)`).exec(values ?? '')?.[1] ??
  new RegExp(String.raw`(?:^|,)\s*(${name})\s*(?:,|$)`).exec(values ?? '')?.[1];

/** The number of an expression: `3000`, `Number(process.env.PORT ?? 3000)`, a constant. A variable of the image comes first. */
function portOf(expression: string | undefined, text: string, isSet: boolean, depth = 0): string | undefined {
  if (expression === undefined || depth > 1) return undefined;
  if (/\benv\b/.test(expression) && isSet) return undefined;
  const plain = expression.trim().replace(/,\s*10\s*\)$/, ')');
  const [, number] = groupsOf(/^(?:.*(?:\|\||\?\?|[(,])\s*)?["']?(\d{2,5})["']?[\s)]*$/, plain);
  const name = /^\w+$/.exec(plain)?.[0];
  if (number !== undefined || name === undefined) return number;
  const [, value] = groupsOf(new RegExp(String.raw`(?:const|let|var)\s+${name}\s*(?::\s*\w+\s*)?=\s*([^\n;]+)`), text);
  return portOf(value, text, isSet, depth + 1);
}
