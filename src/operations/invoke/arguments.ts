import { UsageError } from '../../errors.ts';

/** What stands after the name of an app: a function, perhaps, and parameters. */
export interface InvokeArguments {
  fn: string | undefined;
  /** Undefined when there are none. */
  parameters: Record<string, unknown> | undefined;
}

/** `predict text=hello count:=3`: the first word without a `=` is the function. Throws UsageError. */
export function parseInvokeArguments(words: readonly string[]): InvokeArguments {
  const [first] = words;
  const fn = first === undefined || first.includes('=') ? undefined : first;
  return { fn, parameters: parseParameters(words.slice(fn === undefined ? 0 : 1)) };
}

/** `text=hello count:=3`; undefined when there are none. Throws UsageError. */
export function parseParameters(words: readonly string[]): Record<string, unknown> | undefined {
  const pairs = words.map(parseParameter);
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (twice) throw new UsageError(`${twice[0]} is given twice`);
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** `name=text`, or `name:=json` for anything else. */
function parseParameter(word: string): [string, unknown] {
  const equals = word.indexOf('=');
  if (equals < 1 || word.startsWith(':=')) {
    throw new UsageError(`"${word}" is no parameter`, { fix: 'write name=text, or name:=json for anything but text' });
  }
  const [name, value] = [word.slice(0, equals), word.slice(equals + 1)];
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), JSON.parse(value)];
  } catch (cause) {
    throw new UsageError(`the value of ${name.slice(0, -1)} is not JSON`, {
      why: (cause as Error).message,
      fix: `${name.slice(0, -1)}=… takes text`,
      cause,
    });
  }
}
