type Paint = (text: string) => string;

export type Style = Record<keyof typeof codes, Paint>;

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function style(colored: boolean): Style {
  const paints = Object.entries(codes).map(([name, [on, off]]): [string, Paint] => [
    name,
    colored ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text,
  ]);
  return Object.fromEntries(paints) as Style;
}
