import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { gpusIn, regions as knownRegions } from '../hardware.ts';

/** What was meant by a word of the config file or of a flag. Empty if not certain. */
export function documentedValues(key: string, written: string, values: readonly string[]): string[] {
  const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
  const readings = rule
    ? [rule(written, values), rule(withDigits(written), values), misspelled(withDigits(written), values)]
    : [[closestName(written, values) ?? valueStartingWith(written, values) ?? []].flat()];
  const suggestions = readings.find(({ length }) => length > 0) ?? [];
  return suggestions.length <= maxSuggestions ? suggestions : [];
}

const maxSuggestions = 2;

/** What to warn of a region that no document has; undefined for the others. The platform may have newer ones. */
export function undocumentedRegion(word: string): string | undefined {
  if (knownRegions.includes(word)) return undefined;
  const meant = documentedValues('region', word, knownRegions).join(' or ');
  return `region ${word} is not documented: ${meant ? `did you mean ${meant}?` : `expected ${knownRegions.join(', ')}`}`;
}

/** The letters O and l in a number. */
const withDigits = (written: string) =>
  written.replace(/(?<=\d[oO]*)[oO](?![a-z])/g, '0').replace(/(?<=[\d.])[lI]|(?<=-)[lI]$/g, '1');

/** Other digits are another thing, and a place that is named well is another place: eu-west-3 is not in the country of eu-west-2. */
function misspelled(written: string, values: readonly string[]): string[] {
  const digits = written.replace(/\D/g, '');
  if (digits === '' || wellNamedRegion.test(written)) return [];
  return [
    closestName(
      written,
      values.filter((name) => name.replace(/\D/g, '') === digits),
    ) ?? [],
  ].flat();
}

const wellNamedRegion = /^[a-z]{2}-(?:(?:north|south|east|west)+|central)-?\d$/i;

const rules: Record<string, (written: string, values: readonly string[]) => string[]> = {
  compute: accelerators,
  region: regions,
  python_version: pythonVersions,
};

function valueStartingWith(written: string, values: readonly string[]): string | undefined {
  const [only, another] = values.filter((value) => value.startsWith(`${written.toLowerCase()}_`));
  return another === undefined ? only : undefined;
}

/** Words that say nothing about the model. */
const makers = /^(?:NVIDIA|AWS|TESLA|GEFORCE|RTX|TURING|ADA|LOVELACE|AMPERE|HOPPER|BLACKWELL)$/;

const otherNames: Record<string, string> = {
  A10G: 'A10',
  L40S: 'L40',
  INFERENTIA: 'INF2',
  INFERENTIA2: 'INF2',
  TRAINIUM: 'TRN1',
  TRAINIUM1: 'TRN1',
  'RTX-6000': 'RTX6000',
  6000: 'RTX6000',
};

/** The memory of GPUs that the platform no longer has, in GB, by the model. */
const retired: Record<string, number> = { 4000: 8, 5000: 16, A4000: 16, A5000: 24, A6000: 48 };

function nearestByMemory(memory: number, written: string, values: readonly string[]): string[] {
  const enough = gpusIn(values).filter((gpu) => gpu.memory >= memory);
  const [smallest] = enough.toSorted((a, b) => a.memory - b.memory);
  const least = enough.filter((gpu) => gpu.memory === smallest?.memory).map(({ name }) => name);
  return [least.find((name) => name.split('_')[0] === written.toUpperCase().split('_')[0]) ?? least[0] ?? []].flat();
}

/** Accelerators by the words of the name: `a100-80` is AMPERE_A100_80GB, `A100` is any A100. */
function accelerators(written: string, values: readonly string[]): string[] {
  const words = written
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(Boolean);
  const same = values.filter((name) => name === words.join('_'));
  const model = words.filter((word) => !makers.test(word)).map((word) => otherNames[word] ?? word);
  if (/^(?:none|null|no|false|0|cpu)?$/i.test(written.trim())) return values.filter((name) => name === 'CPU');
  if (same.length > 0 || model.length === 0) return same;
  const memory = model.map((word) => retired[word]).find((each) => each !== undefined);
  if (memory !== undefined) return nearestByMemory(memory, written, values);
  return values.filter((name) => {
    const parts = name.split('_');
    return name !== 'CPU' && model.every((word) => parts.includes(word) || parts.includes(`${word}GB`));
  });
}

/** Other separators (`us_east1`), a zone (`us-east-1a`), or the part of a name that only some regions have (`us-east`). */
function regions(written: string, values: readonly string[]): string[] {
  const name = written
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-');
  const joined = (text: string) => text.replaceAll('-', '');
  const tests = [
    (region: string) => region === name,
    (region: string) => region === name.replace(/-?[a-z]$/, ''),
    (region: string) => joined(region) === joined(name),
    (region: string) => /-/.test(name) && new RegExp(`^${name.replace(/[^a-z0-9-]/g, '.')}-?\\d+$`).test(region),
  ];
  return tests.map((test) => values.filter(test)).find((matching) => matching.length > 0) ?? [];
}

/** `3.12` for `3.12.4` or `python3.12`; otherwise the nearest end of the range. */
function pythonVersions(written: string, values: readonly string[]): string[] {
  const [, minor] = groupsOf(/^\D*3\.(\d+)/, written);
  if (minor === undefined) return [];
  const minors = values.map((version) => Number(version.split('.')[1]));
  return [`3.${Math.min(Math.max(Number(minor), minors[0] ?? 0), minors.at(-1) ?? 0)}`];
}
