import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { gantry, inFrontOf, lay, newFolder, serving, smallApp, startEmulator } from '../support/index.ts';

/** Deploys to a storage that sends this reply and stores nothing. */
async function deploy(words: string[], answer: (response: ServerResponse) => void) {
  const emulator = await startEmulator({ real: false });
  onTestFinished(() => emulator.close());
  const storage = await serving((request, response) => {
    request.resume().once('end', () => answer(response));
  });
  const env = await inFrontOf(emulator, async ({ route }, pass) => {
    if (!/^POST .*\/apps$/.test(route)) return undefined;
    const answer = await pass();
    return {
      ...answer,
      body: JSON.stringify({ ...JSON.parse(answer.body), uploadUrl: `${storage}/archive?X-Amz-Signature=0123` }),
    };
  });
  const cwd = newFolder();
  lay(cwd, smallApp());
  return {
    ...(await gantry(['deploy', ...words], { emulator, env, cwd })),
    builds: [...emulator.store.builds.values()],
  };
}

test.each([[['--detach']], [['--detach', '--json']], [[]]])(
  'cancels the build if the storage replies with a web page (deploy %j)',
  async (words) => {
    const { code, stdout, stderr, builds } = await deploy(words, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Log in</title></html>');
    });
    expect([code, stderr]).toEqual([69, expect.stringContaining('received a web page ("Log in") instead of a reply')]);
    expect(stdout).not.toContain('/v4/');
    expect(builds.every(({ cancelledAt }) => cancelledAt !== undefined)).toBe(true);
  },
);

test('rejects a redirect of the storage and shows its target', async () => {
  const { code, stderr } = await deploy([], (response) => {
    response.writeHead(302, { location: 'https://login.example/sso?next=secret' }).end();
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('HTTP 302, redirected to https://login.example/sso)')]);
});
