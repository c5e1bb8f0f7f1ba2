export interface Figure {
  app: string;
  figure: string;
  value: number | null;
  unit: 'US cents' | 'US cents per second' | 'seconds' | 'calls' | 'ms' | 'share';
  endpoints: string[];
  how: string;
}

export type FigureRow = [
  figure: string,
  unit: Figure['unit'],
  value: number | null | undefined,
  how: string,
  from?: string[],
];

/** Figures of an app, with the requests each is from (by default, these) and how it was computed. */
export function figuresFrom(app: string, endpoints: string[], rows: readonly FigureRow[]): Figure[] {
  return rows.map(([figure, unit, value = null, how, from = endpoints]) => ({
    app,
    figure,
    value,
    unit,
    endpoints: from,
    how,
  }));
}
