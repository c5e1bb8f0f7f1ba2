import { UsageError } from '../kernel/errors.ts';
import { tryParseJson } from '../kernel/json-text.ts';

/** A call that a new build must answer, as typed: `/health`, `/health:ok`, `run`, `run={"name":"Ada"}:Hello`. */
export interface SmokeTest {
  typed: string;
  name: string;
  /** GET this path of an app with a server of its own. */
  path?: string;
  /** Or call this function, with JSON. */
  fn?: string;
  data?: string;
  expected?: string;
}

/** Parses the value of `--smoke`. Throws UsageError. */
export function parseSmokeTest(typed: string): SmokeTest {
  const [, named, data] = /^([A-Za-z]\w*)=(.*)$/s.exec(typed) ?? [];
  if (named !== undefined && data !== undefined) return { typed, name: named, fn: named, ...splitJson(typed, data) };
  const colon = typed.indexOf(':');
  const called = colon < 0 ? typed : typed.slice(0, colon);
  const rest = { typed, name: called, ...(colon >= 0 && { expected: typed.slice(colon + 1) }) };
  if (called.startsWith('/')) return { ...rest, path: called };
  if (/^[A-Za-z]\w*$/.test(called)) return { ...rest, fn: called };
  throw new UsageError(`invalid --smoke "${typed}": expected a path, or a function with JSON`, {
    fix: '--smoke /health, --smoke run, or --smoke \'run={"name":"Ada"}:Hello\'',
  });
}

/** JSON has colons, too: the data is the longest beginning that is JSON. */
function splitJson(typed: string, text: string): Pick<SmokeTest, 'data' | 'expected'> {
  if (tryParseJson(text) !== undefined) return { data: text };
  for (let colon = text.lastIndexOf(':'); colon > 0; colon = text.lastIndexOf(':', colon - 1)) {
    const data = text.slice(0, colon);
    if (tryParseJson(data) !== undefined) return { data, expected: text.slice(colon + 1) };
  }
  throw new UsageError(`invalid --smoke "${typed}": what follows = is not JSON`, {
    fix: '--smoke \'run={"name":"Ada"}\'',
  });
}
