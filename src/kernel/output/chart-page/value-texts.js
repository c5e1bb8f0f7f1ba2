// Values as text, in the legend and on the axes. Part of page.js.

/**
 * @param {number | null | undefined} value
 * @param {(value: number) => string} text
 */
function valueText(value, text) {
  return value === null || value === undefined ? 'no data' : text(value);
}

/**
 * What the legend shows before anybody hovers: the sum of bars, the highest point of a line.
 * @param {Panel} panel
 * @param {Panel['series'][number]['values']} values
 * @param {(value: number) => string} text
 */
function overall({ kind }, values, text) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'no data';
  if (kind === 'lines') return `up to ${text(known.reduce((most, value) => Math.max(most, value)))}`;
  const sum = known.reduce((all, value) => all + value);
  return known.length < values.length ? `${text(sum)}, some unknown` : text(sum);
}

/** @param {number} value */
function number(value) {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : '';
}

/** @param {number} value */
function percent(value) {
  return `${number(value)} %`;
}

/** @param {number} value */
function amount(value) {
  return String(Number(value.toPrecision(3)));
}

/** @param {number} value */
function dollars(value) {
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** @param {number} ms */
function duration(ms) {
  if (ms < 1000) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 60_000) return `${Math.round(ms / 10) / 100} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m ${Math.round((ms % 60_000) / 1000)}s`;
  return `${Math.floor(ms / 3_600_000)}h ${Math.round((ms % 3_600_000) / 60_000)}m`;
}
