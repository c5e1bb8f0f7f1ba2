import { groupsOf } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { rowsOf } from '../rule.ts';
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

/**
 * The sources of a language, how they say where they listen (groups `host`, `port`, or `values`, which has both by their names),
 * and where that is if they say a port, and no host.
 */
const listeners = once(() =>
  rowsOf`
(?<!\.d)\.[cm]?[jt]sx?$ | \.listen\(\s*\{(?<values>[^{}]*)\} | fastify
(?<!\.d)\.[cm]?[jt]sx?$ | \.listen\(\s*(?<port>[^,(){}]+(?:\([^()]*\)[^,(){}]*)?)(?:,\s*["'](?<host>[^"']+)["'])?(?=[,)]) | 0.0.0.0
(?<!_test)\.go$ | \b(?:ListenAndServe|Run|Start|Listen|http\.Server\{[^}]*?Addr:\s*)\(?\s*(?:"tcp",\s*)?@
\.rs$ | @(?:(?<=\b(?:bind\(|SocketAddr\s*=)\s*&?\S+)|(?=\s*\.parse\b))
/application\.properties$ | ^server\.port\s*=\s*(?<port>\d{2,5})\s*$
/application\.ya?ml$ | ^server:[ \t]*\n(?:[ \t]+.*\n)*?[ \t]+port:[ \t]*(?<port>\d{2,5})
\.rs$ | \bbind\(\(\s*"(?<host>[\w.]+)",\s*(?<port>\d{2,5})\b
\.rs$ | SocketAddr::from\(\(\[(?<host>[\d,\s]+)\],\s*(?<port>\d{2,5})\)
`.map((row) => {
    const [files = '', pattern = '', usual] = row.split(' | ');
    const whole = pattern.replace('@', String.raw`"(?<host>[\w.]*|\[[:\d]+\]):(?<port>\d{2,5})"`);
    return { files: new RegExp(files), pattern: new RegExp(whole, 'gm'), usual };
  }),
);

/** Fastify takes localhost, unlike the server of Node. */
const usualHost = (text: string, usual: string | undefined) =>
  usual === 'fastify' ? (/["']fastify["']/.test(text) ? 'localhost' : '0.0.0.0') : usual;

/** Where the sources of an image say that they listen, if they say it themselves. */
export function sourcesListen(shipment: Shipment): ListeningPlace[] {
  const isSet = shipment.stage().environment.has('PORT');
  const files = [...new Set(shipment.stages.flatMap((each) => [...each.files.values()]))];
  const places = listeners().flatMap((listener) =>
    foundInCode(files, shipment.read, listener.files, listener.pattern).flatMap(({ match, line, file }) =>
      placeIn(match, listener.usual, isSet).map((place) => ({ ...place, at: { file, line }, what: file })),
    ),
  );
  // Only one of several may be the server that is reached.
  return places.map((each) => ({ ...each, isSetting: places.length > 1 }));
}

function placeIn({ groups = {}, input }: RegExpExecArray, usual: string | undefined, isSet: boolean) {
  const { host = valueIn(groups.values, 'host'), port = valueIn(groups.values, 'port') } = groups;
  const number = portOf(port, input, isSet);
  const says = groups.values !== undefined && /\bhost(?:name)?\b/.test(groups.values);
  const address = host?.replace(/,\s*/g, '.') || (says ? undefined : host === '' ? '0.0.0.0' : usualHost(input, usual));
  return number === undefined && address === undefined ? [] : [{ host: address, port: number }];
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
