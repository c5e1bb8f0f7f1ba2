import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Where something says that it listens. */
export interface Listening {
  host?: string | undefined;
  port?: string | undefined;
  at: SeenCause['at'];
  /** What says it. */
  what: string;
  /** Whether the host is only what the server takes if nothing is said. */
  isUsual?: boolean;
}

/** Where servers of other languages say that they listen. `host` and `port` are groups; `local` is a name of 127.0.0.1. */
const patterns: readonly RegExp[] = [
  // nginx, Caddy, puma
  /^\s*(?:listen|bind)\s+["']?(?:\w+:\/\/)?(?:(?<host>[\w.]*|\[[\w:]*\]):)?(?<port>\d{2,5})\b/,
  // "127.0.0.1:8080", ":8080", "tcp://0.0.0.0:9292"
  /["'`](?:\w+:\/\/)?(?<host>\[[\w:]*\]|[\w.]*):(?<port>\d{2,5})["'`]/,
  // hostname: "127.0.0.1"
  /\b(?:host(?:name)?|bind)\s*[:=,]\s*["'`](?<host>[\w.:]+)["'`]/i,
  // server.listen(3000, "127.0.0.1")
  /\.listen\([^)]*["'`](?<host>127\.0\.0\.1|localhost|0\.0\.0\.0)["'`]/,
  /\.listen\(\s*(?<port>\d{2,5})\b/,
  /\bport\s*[:=]\s*(?<port>\d{2,5})\b/i,
  // process.env.PORT ?? 3000
  /\bPORT\s*(?:\|\||\?\?)\s*["']?(?<port>\d{2,5})/,
  /(?<local>Ipv4Addr::LOCALHOST\b|\(\[?127,\s*0,\s*0,\s*1\]?)/,
  // new InetSocketAddress("localhost", 8080)
  /Address\(\s*(?:["'](?<host>[\w.:]+)["']\s*,\s*)?(?<port>\d{2,5})\s*\)/,
];

const isSource = /\.(?:go|rs|[cm]?[jt]s|rb|php|java|kt|exs?|cs|R|jl|conf)$/;
const isAside = /(?:^|\/)(?:tests?|node_modules|dist)\/|\.(?:test|spec|d)\./;
const isAbout = /listen|bind|serve|hostname|\bport\b|Addr/i;

/** Servers in other languages, whose files are only read as text. */
export function sourcesListen(shipment: Shipment): Listening[] {
  if (shipment.servers().length > 0) return [];
  const files = shipment.paths.filter((file) => isSource.test(file) && !isAside.test(file));
  return files.flatMap((file) =>
    (shipment.text(file) ?? '').split('\n').flatMap((text, at) => {
      const found = isAbout.test(text) && !/^\s*(?:\/\/|#|\*)/.test(text) ? lineListens(text) : undefined;
      return found ? [{ ...found, at: { file, line: at + 1 }, what: file }] : [];
    }),
  );
}

function lineListens(text: string): Pick<Listening, 'host' | 'port'> | undefined {
  const firstOf = (name: string) => patterns.map((each) => each.exec(text)?.groups?.[name]).find(Boolean);
  const host = firstOf('host') ?? (firstOf('local') && '127.0.0.1');
  const port = firstOf('port');
  return host === undefined && port === undefined ? undefined : { host, port };
}
