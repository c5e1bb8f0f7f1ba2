import { isUtf8 } from 'node:buffer';
import { readNamedFile } from '../../kernel/disk/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';

/** The arguments after the app's name. */
export interface InvokeArguments {
  fn: string | undefined;
  /** Undefined if there are none. */
  parameters: Record<string, unknown> | undefined;
}

type Files = Pick<Context, 'cwd' | 'signal'>;

/** Parses `predict text=hello count:=3 image=@photo.png`: a first argument without `=` is the function. Throws UsageError. */
export async function parseInvokeArguments(context: Files, args: readonly string[]): Promise<InvokeArguments> {
  const [first] = args;
  const fn = first === undefined || first.includes('=') ? undefined : first;
  return { fn, parameters: await parseParameters(context, args.slice(fn === undefined ? 0 : 1)) };
}

/** Parses `text=hello count:=3`. Undefined if there are none. Throws UsageError. */
export async function parseParameters(
  context: Files,
  args: readonly string[],
): Promise<Record<string, unknown> | undefined> {
  const pairs = args.map(parseParameter);
  const duplicate = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (duplicate) throw new UsageError(`parameter ${duplicate[0]} is given twice`);
  if (pairs.length === 0) return undefined;
  const read = pairs.map(async ([name, value]) => [
    name,
    value instanceof FileValue ? await value.read(context) : value,
  ]);
  return Object.fromEntries(await Promise.all(read));
}

/** `name=@FILE`: its text if it is UTF-8 without a zero byte, as of no image; otherwise its bytes in base64. */
class FileValue {
  constructor(private readonly file: string) {}

  async read(context: Files): Promise<string> {
    const bytes = await readNamedFile(context, this.file);
    return bytes.toString(isUtf8(bytes) && !bytes.includes(0) ? 'utf8' : 'base64');
  }
}

/** `name=text`, `name=@FILE` (`@@` begins a text with `@`), or `name:=json`. */
function parseParameter(arg: string): [string, unknown] {
  const equals = arg.indexOf('=');
  if (equals < 1 || arg.startsWith(':=')) {
    throw new UsageError(`invalid parameter "${arg}": expected name=value`, {
      fix: 'write name=text, or name:=json for numbers, lists and objects',
    });
  }
  const name = arg.slice(0, equals);
  const value = arg.slice(equals + 1);
  if (!name.endsWith(':')) {
    if (/^@[^@]/.test(value)) return [name, new FileValue(value.slice(1))];
    return [name, value.replace(/^@@/, '@')];
  }
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
