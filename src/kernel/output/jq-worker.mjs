// @ts-check
/**
 * Runs jq on a thread, which can be ended while a program runs. Plain JavaScript without imports from src, because a
 * worker is loaded from a file, before and after bundling.
 *
 * @typedef {{ json: string, expression: string }} JqJob
 * @typedef {import('jq-wasm').JqResult | 'out of memory'} JqReply
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';

/** The job that runs. */
let current = 0;

/**
 * jq-wasm collects what a program prints in arrays that it doubles, without a bound. jq goes on after a failed write, so
 * the error does not reach `run`: the reply tells the other thread to end this one.
 */
class BoundedArray extends Uint8Array {
  /** @param {[size: any]} args */
  constructor(...args) {
    if (typeof args[0] === 'number' && args[0] > workerData.maxBytes) {
      parentPort?.postMessage({ id: current, result: 'out of memory' });
      throw new RangeError('too much output');
    }
    super(...args);
  }
}

/**
 * Whatever jq throws, its memory is used up: it ends programs that are only wrong with an exit code.
 * @param {import('jq-wasm').Jq} jq
 * @param {JqJob} job
 * @returns {JqReply}
 */
function run(jq, { json, expression }) {
  try {
    // An expression such as -n is no flag of jq.
    const { stdout, ...result } = jq.raw(json, expression, ['--compact-output', '--']);
    return { ...result, stdout: stdout && `${stdout.split('\n').map(unquoted).join('\n')}\n` };
  } catch {
    return 'out of memory';
  }
}

/**
 * A line as `jq --raw-output` prints it. jq-wasm trims all that jq prints: a text without its quotes would lose its blanks.
 * @param {string} line
 * @returns {string}
 */
function unquoted(line) {
  return line.startsWith('"') ? JSON.parse(line) : line;
}

if (!isMainThread && workerData.name === 'jq' && parentPort) {
  const port = parentPort;
  globalThis.Uint8Array = /** @type {Uint8ArrayConstructor} */ (/** @type {unknown} */ (BoundedArray));
  port.once('message', (/** @type {Uint8Array} */ wasmBinary) => {
    const loaded = loadJq({ wasmBinary });
    port.on('message', async (/** @type {{ id: number, task: JqJob }} */ { id, task }) => {
      current = id;
      port.postMessage({ id, result: run(await loaded, task) });
    });
  });
}
