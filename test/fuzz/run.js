// npm run fuzz -- --cases 5000 --seed 7: runs the test of the emulator with so many cases; the others are below.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** @type {Record<string, string>} */
const files = {
  emulator: 'test/emulator/fuzz.test.ts',
  histories: 'test/deploys/histories.test.ts',
  plans: 'test/deploys/plan-changes.test.ts',
  commits: 'test/deploys/commits.test.ts',
  platforms: 'test/deploys/ordinary.test.ts',
  jobs: 'test/deploys/jobs.test.ts',
  archives: 'test/deploys/archives/limits.test.ts',
  serving: 'test/deploys/serving.test.ts',
  'served-before': 'test/deploys/served-before.test.ts',
  'at-once': 'test/deploys/at-once.test.ts',
};

const { values, positionals } = parseArgs({
  options: { cases: { type: 'string', default: '5000' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
  allowPositionals: true,
});
const [name = 'emulator'] = positionals;
const file = files[name];
if (!file) throw new Error(`there is no ${name}: choose ${Object.keys(files).join(', ')}`);
process.stdout.write(`${values.cases} cases with seed ${values.seed}\n`);
const { status } = spawnSync('npx', ['vitest', 'run', file], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_CASES: values.cases, FUZZ_SEED: values.seed },
});
process.exitCode = status ?? 1;
