// npm run fuzz -- --cases 5000 --seed 7: runs the test with so many cases.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '5000' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
process.stdout.write(`${values.cases} cases with seed ${values.seed}\n`);
const { status } = spawnSync('npx', ['vitest', 'run', 'test/emulator/fuzz.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_CASES: values.cases, FUZZ_SEED: values.seed },
});
process.exitCode = status ?? 1;
