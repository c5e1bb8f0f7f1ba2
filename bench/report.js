import { ratio, spread } from './measure.js';

/** @import { Run } from './measure.js' */

/**
 * What a candidate is held against, and how far it may be from it: in time or, where other load on the machine would
 * hide a small difference, in time of processors; in memory; or in the share of what a line gives.
 * @typedef {{ over: string, most?: number, least?: number, of?: 'ms' | 'cpu' | 'peak' | 'share' }} Comparison
 */

/**
 * Memory in MB, rate in files per second, share of what a line gives.
 * @typedef {{ over?: Comparison[], memory?: number, rate?: number, share?: number }} Targets
 */

/** Prints the measurements and remembers which targets were missed. */
export class Report {
  /** @type {string[]} */
  #missed = [];
  #met = 0;
  #title = '';
  #output;

  /** @param {NodeJS.WritableStream} output */
  constructor(output) {
    this.#output = output;
  }

  /** @param {string} line */
  text(line) {
    this.#output.write(`${line}\n`);
  }

  /** @param {string} title */
  begin(title) {
    this.#title = title;
    this.text(`\n${title}`);
  }

  /**
   * A line for every candidate, and one for each thing it is compared to.
   * @param {Map<string, Run[]>} runs
   * @param {Record<string, Targets>} targets by the candidate's name
   */
  candidates(runs, targets) {
    for (const [name, measured] of runs) {
      const { over = [], memory, rate, share } = targets[name] ?? {};
      const { median } = spread(measured.map(({ ms }) => ms));
      const peak = spread(measured.flatMap((run) => run.peak ?? [])).median;
      const peakText = Number.isNaN(peak) ? '' : `${Math.round(peak / 1e6)} MB`;
      const cpu = spread(measured.flatMap((run) => run.cpu ?? [])).median;
      const cpuText = Number.isNaN(cpu) ? '' : `${cpu.toFixed(2)} s CPU`;
      const within = memory && peakText ? { most: memory } : {};
      const judged = this.#judge(`${name}, memory`, peak / 1e6, within, ' MB');
      const times = `${timeText(median).padStart(8)} ${cpuText.padStart(11)}`;
      this.text(`  ${name.padEnd(28)} ${times} ${peakText.padStart(8)}${judged}`);
      if (rate) this.#rate(name, measured, rate);
      if (measured[0]?.share !== undefined) this.#share(name, measured, share);
      for (const comparison of over) this.#comparison(name, measured, comparison, runs.get(comparison.over));
    }
  }

  /**
   * @param {string} name
   * @param {Run[]} measured
   * @param {number} least
   */
  #rate(name, measured, least) {
    const { median } = spread(measured.map(({ ms, files }) => (files / ms) * 1000));
    const judged = this.#judge(`${name}, files per second`, median, { least });
    this.text(`      ${median.toFixed(0).padStart(6)} ${'files per second'.padEnd(43)}${judged}`);
  }

  /**
   * @param {string} name
   * @param {Run[]} measured
   * @param {number | undefined} least
   */
  #share(name, measured, least) {
    const { median } = spread(measured.flatMap(({ share }) => share ?? []));
    const judged = this.#judge(`${name}, share of the line`, median, least === undefined ? {} : { least });
    this.text(`      ${median.toFixed(2).padStart(6)} ${'of what the line gives'.padEnd(43)}${judged}`);
  }

  /**
   * @param {string} name
   * @param {Run[]} measured
   * @param {Comparison} comparison
   * @param {Run[] | undefined} against undefined where it is not installed
   */
  #comparison(name, measured, { over: base, of = 'ms', ...target }, against) {
    if (!against) return;
    const { median, low, high } = ratio(measured, against, of);
    const judged = this.#judge(`${name} over ${base}`, median, target);
    const range = `(${low.toFixed(2)} to ${high.toFixed(2)})`;
    this.text(
      `      ${median.toFixed(2).padStart(6)} ${range.padEnd(16)} x ${`${base}${{ ms: '', cpu: ', CPU', peak: ', memory', share: ', share' }[of]}`.padEnd(24)}${judged}`,
    );
  }

  /**
   * @param {string} what
   * @param {number} measured
   * @param {{ most?: number, least?: number }} target nothing is judged without one
   */
  #judge(what, measured, { most, least }, unit = '') {
    const limit = most ?? least;
    if (limit === undefined) return '';
    const met = most === undefined ? measured >= limit : measured <= limit;
    if (met) this.#met++;
    else this.#missed.push(`${what} (${this.#title})`);
    return `  target ${most === undefined ? '≥' : '≤'} ${`${limit}${unit}`.padEnd(7)} ${met ? 'ok' : 'missed'}`;
  }

  verdict() {
    this.text(`\n${this.#met} of ${this.#met + this.#missed.length} targets met`);
    for (const what of this.#missed) this.text(`  missed: ${what}`);
  }
}

/** @param {number} ms */
function timeText(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
