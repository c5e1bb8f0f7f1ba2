import { ratio, spread } from './measure.js';

/** @import { Run } from './measure.js' */

/**
 * What a candidate is held against, and how far it may be from it.
 * @typedef {{ over: string, most?: number }} Comparison
 */

/** @typedef {{ over?: Comparison[], memory?: number }} Targets memory in MB */

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
      const { over = [], memory } = targets[name] ?? {};
      const { median } = spread(measured.map(({ ms }) => ms));
      const peak = spread(measured.flatMap((run) => run.peak ?? [])).median;
      const peakText = Number.isNaN(peak) ? '' : `${Math.round(peak / 1e6)} MB`;
      const judged = memory && peakText ? this.#judge(`${name}, memory`, peak / 1e6, memory, `${memory} MB`) : '';
      this.text(`  ${name.padEnd(28)} ${timeText(median).padStart(8)} ${peakText.padStart(8)}${judged}`);
      for (const { over: base, most } of over) this.#comparison(name, measured, base, runs.get(base), most);
    }
  }

  /**
   * @param {string} name
   * @param {Run[]} measured
   * @param {string} base
   * @param {Run[] | undefined} against undefined where it is not installed
   * @param {number | undefined} most
   */
  #comparison(name, measured, base, against, most) {
    if (!against) return;
    const { median, low, high } = ratio(measured, against);
    const judged = most ? this.#judge(`${name} over ${base}`, median, most, String(most)) : '';
    const range = `(${low.toFixed(2)} to ${high.toFixed(2)})`;
    this.text(`      ${median.toFixed(2).padStart(6)} ${range.padEnd(16)} x ${base.padEnd(24)}${judged}`);
  }

  /**
   * @param {string} what
   * @param {number} measured
   * @param {number} most
   * @param {string} target
   */
  #judge(what, measured, most, target) {
    const met = measured <= most;
    if (met) this.#met++;
    else this.#missed.push(`${what} (${this.#title})`);
    return `  target ≤ ${target.padEnd(7)} ${met ? 'ok' : 'over'}`;
  }

  verdict() {
    this.text(`\n${this.#met} of ${this.#met + this.#missed.length} targets met`);
    for (const what of this.#missed) this.text(`  over: ${what}`);
  }
}

/** @param {number} ms */
function timeText(ms) {
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
