import { rowsOf } from './rule.ts';

/** What the texts of a case name. */
export type Details = Readonly<Record<string, string | number | undefined>>;

/**
 * The cases of a table: a row has the name of one, and texts between ` | `. Of texts between ` // `, the first is said of which
 * all is known; `{name}` stands for what is. Undefined where there is none, or `-`.
 */
export function casesOf(table: TemplateStringsArray) {
  const cases = new Map(
    rowsOf(table).map((row): [name: string, texts: string[]] => {
      const [name = '', ...texts] = row.split(' | ');
      return [name, texts];
    }),
  );
  return (name: string, details: Details): (string | undefined)[] => {
    const texts = cases.get(name);
    if (!texts) throw new Error(`nothing to say of ${name}`);
    return texts.map((text) => chosen(text, details));
  };
}

const named = /\{(\w+)\}/g;

function chosen(text: string, details: Details): string | undefined {
  const isKnown = (each: string) => [...each.matchAll(named)].every(([, key = '']) => details[key] !== undefined);
  const found = text === '-' ? undefined : text.split(' // ').find(isKnown);
  return found?.replace(named, (_, key: string) => String(details[key])).replaceAll('\\n', '\n');
}
