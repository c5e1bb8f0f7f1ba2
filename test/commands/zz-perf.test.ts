import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { gantry } from '../support/gantry.ts';
import { deployWeb } from '../support/runs.ts';
test('perf', async () => {
  const emulator = await startEmulator();
  await deployWeb(emulator);
  for (let i = 0; i < 100_000; i++) emulator.logs.add(`${emulator.project}-web`, { container: 'w', stream: 'stdout', text: `line ${i} ${'x'.repeat(80)}` });
  const t = Date.now();
  const { stdout } = await gantry(['logs', 'web', '--tail', 'all'], { emulator });
  console.log('ms', Date.now() - t, stdout.split('\n').length);
  const u = Date.now();
  const { stdout: o } = await gantry(['logs', 'web', '--tail', 'all', '--json'], { emulator });
  console.log('json ms', Date.now() - u, o.split('\n').length);
  await emulator.close();
}, 60_000);
