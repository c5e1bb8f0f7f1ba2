const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5 KiB` for 1536. */
export function size(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return '';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A size over a limit, and the limit. One that reads as the limit does is told in bytes: `2,147,483,649 B`, `2 GiB`. */
export function overLimit(bytes: number, limit: number): [has: string, most: string] {
  const [has = '', most = ''] = [bytes, limit].map((each) => size(each).replace('.0 ', ' '));
  return [has === most ? `${groupDigits(bytes)} B` : has, most];
}

/** `1,200` for 1200. Intl is slower to start. */
export function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
