import { relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.ts';

/** Set by trial.js: the test files to run, first ones first. */
const order = JSON.parse(process.env.GANTRY_TRIAL ?? '[]');

class GivenOrder extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) =>
      order.indexOf(relative(process.cwd(), moduleId));
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default mergeConfig(base, {
  test: {
    maxWorkers: 1,
    bail: 1,
    // A slow machine must not look like a test that fails.
    testTimeout: 60_000,
    sequence: { sequencer: GivenOrder },
  },
});
