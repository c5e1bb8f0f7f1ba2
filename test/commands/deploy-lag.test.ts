import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { newFolder } from '../support/files.ts';
import { gantry } from '../support/gantry.ts';
import { inFrontOf } from '../support/in-front-of.ts';

test.each(['this machine', 'another machine'])(
  '--if-changed deploys while the app is shown with an earlier build than the last ready one of %s',
  async (who) => {
    const emulator = await startEmulator({ real: false });
    onTestFinished(() => emulator.close());
    let shown: string | undefined;
    let lagsUntilCreated = false;
    const front = await inFrontOf(emulator, async ({ route }, pass) => {
      if (lagsUntilCreated && /^POST .*\/apps$/.test(route)) shown = undefined;
      if (shown === undefined || !/^GET .*\/apps\/[^/]+$/.test(route)) return undefined;
      const answer = await pass();
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), latestReadyBuildId: shown }) };
    });
    const here = newFolder();
    const deploy = async (version: string, flags: string[] = [], home = here) => {
      await using app = await folderOf({ ...smallApp(), 'data.txt': version });
      const env = { ...front, GANTRY_CONFIG_DIR: home };
      const { code, stderr, json } = await gantry(['deploy', '--json', ...flags], { emulator, cwd: app.path, env });
      return { ...(json() as { build: string; changed: boolean }), code, stderr };
    };
    const first = await deploy('one');
    shown = first.build;
    await deploy('two', [], who === 'this machine' ? here : newFolder());
    const second = [...emulator.store.builds.keys()].find((id) => id !== first.build) ?? '';
    lagsUntilCreated = true;
    const again = await deploy('one', ['--if-changed']);
    expect(again).toMatchObject({ code: 0, changed: true });
    expect(again.stderr).toContain(`but build ${second.slice(0, 8)} is later and ready: deploying`);
    expect(await deploy('one', ['--if-changed'])).toMatchObject({ code: 0, changed: false, build: again.build });
  },
);
