import { expect, test } from 'vitest';
import type { Call } from '../support/app-platform/types.ts';
import { type AppOf, crash, deployed, type Machine, type Stage } from './stage.ts';

const sick: AppOf = { version: 9, behaves: crash };
const sickLine = 'deploy --watch 40s --or-rollback';

/** Runs a line on a machine that is killed in the middle of its last upload, before or after that has arrived. */
async function killedAt(
  stage: Stage,
  machine: Machine,
  line: string,
  { nth, when }: { nth: number; when: 'before' | 'after' },
): Promise<Machine> {
  let left: Promise<Machine> | undefined;
  stage.platform[when] = async (call: Call) => {
    if (call.point !== 'upload' || call.nth !== nth) return;
    left = stage.killed(machine);
    await left;
    stage.platform.isDown = true;
  };
  await machine.run(line);
  stage.calm();
  stage.pass(120_000);
  if (!left) throw new Error('nothing was uploaded');
  return left;
}

test.each([
  ['a deploy', 'deploy', { version: 3 }, 3],
  ['a deploy by a plan', 'deploy --apply-plan ../plan.json', { version: 3 }, 3],
  ['a rollback', 'rollback web --yes', { version: 2 }, 1],
  ['an automatic rollback', sickLine, { ...sick, version: 8 }, 2],
])(
  'killed after its upload has arrived: the next sick build is rolled back to what that became: %s',
  async (_, line, app, version) => {
    const { stage, machine } = await deployed([{ version: 1 }, { version: 2 }]);
    await machine.write(app);
    if (line.includes('plan')) await machine.run('deploy --dry-run --save-plan ../plan.json');
    const left = await killedAt(stage, machine, line, { nth: line === sickLine ? 4 : 3, when: 'after' });
    const made = stage.ids.at(-1);
    expect(stage.platform.live()).toBe(made);
    const sent = new RegExp(`sent ${made}(, which is .+)?: whether it arrived is not known`);
    expect((await left.run('history web')).stdout).toMatch(sent);
    await left.write(sick);
    const isNoWarning = expect.not.stringContaining('cannot return');
    expect(await left.run(sickLine)).toExit(12, `rolled back to build ${made}`, isNoWarning);
    expect(String(stage.platform.world.live(stage.web)?.files.get('main.py'))).toContain(`"version": ${version}`);
    // The platform has shown it by now.
    expect((await left.run('history web')).stdout).not.toContain('whether it arrived');
  },
);

test.each<[string, AppOf, (made: string) => RegExp]>([
  ['succeeded, and was replaced before anybody looked', {}, (made) => new RegExp(`sent ${made}$`, 'm')],
  ['failed', { behaves: { ends: 'build_failure' } }, (made) => new RegExp(`${made} failed \\(build_failure\\)$`, 'm')],
])('killed after its upload has arrived: the list of builds shows that its build %s', async (_, app, said) => {
  const { stage, machine } = await deployed([{ version: 1 }]);
  await machine.write({ version: 2, ...app });
  const left = await killedAt(stage, machine, 'deploy', { nth: 2, when: 'after' });
  const made = stage.ids.at(-1) ?? '';
  await stage.stranger({});
  stage.pass(120_000);
  expect((await left.run('history web')).stdout).toContain(`sent ${made}: whether it arrived is not known`);
  await left.run('builds list web');
  const { stdout } = await left.run('history web');
  expect(stdout.replaceAll(/\t[^\t]*$/gm, '')).toMatch(said(made));
  expect(stdout).not.toContain('whether it arrived');
});

test('killed before its upload has arrived: its archive is that of nothing that served', async () => {
  const { stage, machine } = await deployed([{ version: 1 }, { version: 2 }]);
  await machine.write({ version: 3 });
  const left = await killedAt(stage, machine, 'deploy', { nth: 3, when: 'before' });
  const [, second, never] = stage.ids;
  expect(stage.platform.live()).toBe(second);
  expect((await left.run('history web')).stdout).toContain(`sent ${never}: whether it arrived is not known`);
  await left.write({ version: 3 });
  expect(await left.run('deploy --if-changed --if-busy wait')).toExit(0, `build ${never} of web never got its files`);
  const said = (await left.run('history web')).stdout;
  expect(said).toContain(`${never} canceled: the deploy that created it was killed`);
  expect(said).not.toContain('whether it arrived');
  const kept = await left.json<{ build: string }[]>('doctor --cache archives');
  expect(kept.map(({ build }) => build)).not.toContain(never);
  expect(await left.json('rollback web --dry-run')).toMatchObject({ restored: second });
});

test('an upload that is refused leaves no archive, and is on record as canceled', async () => {
  const { stage, machine } = await deployed([{ version: 1 }, { version: 2 }]);
  await machine.write({ version: 3 });
  stage.quirks.refuses = { upload: 403 };
  expect(await machine.run('deploy')).toMatchObject({ code: 1 });
  const kept = await machine.json<{ build: string }[]>('doctor --cache archives');
  expect(kept.map(({ build }) => build).sort()).toEqual(stage.ids.slice(0, 2).sort());
  const said = (await machine.run('history web')).stdout;
  for (const never of stage.ids.slice(2)) expect(said).toContain(`${never} canceled: `);
});
