import { rowsOf } from './rule.ts';

/** What the texts of a case name. */
export type Details = Readonly<Record<string, string | number | undefined>>;

/**
 * Reads a table of cases: each row has a name, and texts between ` | `. A text may have alternatives between ` // `: the first
 * one whose `{name}`s are all known is used. Returns undefined for `-`, and where no alternative fits.
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
  const template = text === '-' ? undefined : text.split(' // ').find(isKnown);
  return template?.replace(named, (_, key: string) => String(details[key])).replaceAll('\\n', '\n');
}
