import { UsageError } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json-text.ts';

/** The arguments after the app's name. */
export interface InvokeArguments {
  fn: string | undefined;
  /** Undefined if there are none. */
  parameters: Record<string, unknown> | undefined;
}

/** Parses `predict text=hello count:=3`: a first argument without `=` is the function. Throws UsageError. */
export function parseInvokeArguments(args: readonly string[]): InvokeArguments {
  const [first] = args;
  const fn = first === undefined || first.includes('=') ? undefined : first;
  return { fn, parameters: parseParameters(args.slice(fn === undefined ? 0 : 1)) };
}

/** Parses `text=hello count:=3`. Undefined if there are none. Throws UsageError. */
export function parseParameters(args: readonly string[]): Record<string, unknown> | undefined {
  const pairs = args.map(parseParameter);
  const duplicate = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (duplicate) throw new UsageError(`parameter ${duplicate[0]} is given twice`);
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** `name=text`, or `name:=json`. */
function parseParameter(arg: string): [string, unknown] {
  const equals = arg.indexOf('=');
  if (equals < 1 || arg.startsWith(':=')) {
    throw new UsageError(`invalid parameter "${arg}": expected name=value`, {
      fix: 'write name=text, or name:=json for numbers, lists and objects',
    });
  }
  const [name, value] = [arg.slice(0, equals), arg.slice(equals + 1)];
  if (!name.endsWith(':')) return [name, value];
  const parameter = name.slice(0, -1);
  try {
    return [parameter, parseJson(value)];
  } catch (cause) {
    throw new UsageError(`the value of ${parameter} is not valid JSON`, {
      why: (cause as Error).message,
      fix: `use ${parameter}=… for text`,
      cause,
    });
  }
}
