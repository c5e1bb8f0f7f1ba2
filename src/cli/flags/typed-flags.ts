import type { Option } from 'commander';

type DeclaredFlag = Pick<Option, 'attributeName' | 'defaultValue' | 'long' | 'parseArg'>;

/** Flags as they are typed, from what they were parsed to: `--watch 2m`. Those with their default are omitted. */
export function typedFlags(flags: readonly DeclaredFlag[], options: Record<string, unknown>): string[] {
  return flags.flatMap((flag) => {
    const value = options[flag.attributeName()];
    if (value === undefined || value === false || value === flag.defaultValue) return [];
    return [value].flat().flatMap((each) => typedFlag(flag, each));
  });
}

function typedFlag({ long, parseArg }: DeclaredFlag, value: unknown): string[] {
  const name = long ?? '';
  if (value === true) return [name];
  const isDuration = parseArg !== undefined && 'valueKind' in parseArg && parseArg.valueKind === 'duration';
  const text = isDuration ? typedDuration(Number(value)) : String(value);
  // A value that looks like a flag, or like none, has to be part of the word.
  return text === '' || text.startsWith('-') ? [`${name}=${text}`] : [name, text];
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** `1h30m`, as `durationFlag` reads it. */
function typedDuration(ms: number): string {
  let rest = ms;
  const parts = units.flatMap(([unit, size]) => {
    const number = unit === 'ms' ? rest : Math.floor(rest / size);
    rest -= number * size;
    return number > 0 ? [`${number}${unit}`] : [];
  });
  return parts.join('') || '0s';
}
