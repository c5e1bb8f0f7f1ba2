import { describe, expect, test } from 'vitest';
import { gantry, newFolder } from '../support/index.ts';

const config = `[cerebrium.deployment]
name = "web"
disable_auth = false
[cerebrium.runtime.custom]
port = 8080
`;
const paths = ['a.txt', 'sub/a.txt', 'data/one', 'data/keep/two', 'secret.key', 'sub/b.py'];

/** What is sent of these files, besides the config file and the Dockerfile. */
async function sent(ignore: string, more: Record<string, string> = {}) {
  const files = Object.fromEntries(paths.map((path) => [path, 'x']));
  const dockerfile = { Dockerfile: 'FROM scratch\nCMD ["/bin/app"]\n', '.dockerignore': ignore };
  const own = { 'cerebrium.toml': `${config}dockerfile_path = "Dockerfile"\n`, ...dockerfile, ...files, ...more };
  const app = newFolder(own);
  const { stderr: checked } = await gantry(['check'], { cwd: app });
  const { code, json, stderr } = await gantry(['deploy', '--dry-run', '-o', 'app.zip', '--files', '--json'], {
    cwd: app,
  });
  expect(code, stderr).toBe(0);
  const decided = (json() as { selection: { path: string; sent: boolean }[] }).selection;
  const names = decided.filter((one) => one.sent && paths.includes(one.path)).map(({ path }) => path);
  return { names, checked, decided };
}

describe('a .dockerignore', () => {
  test.each([
    ['*.txt\n', ['data/keep/two', 'data/one', 'secret.key', 'sub/a.txt', 'sub/b.py']],
    ['**/*.txt\n# a comment\n\n', ['data/keep/two', 'data/one', 'secret.key', 'sub/b.py']],
    ['/data/\nsub\n', ['a.txt', 'secret.key']],
    ['*\n!data/keep\n', ['data/keep/two']],
    ['data\n!data/keep\ndata/keep/t*\n', ['a.txt', 'secret.key', 'sub/a.txt', 'sub/b.py']],
  ])('%j leaves out what an engine would', async (text, names) => {
    expect((await sent(text)).names).toEqual(names);
  });

  test('is named, with the line that decides', async () => {
    const { checked, decided } = await sent('*.key\ndata\n');
    expect(checked).toContain('.dockerignore: 2 ignored files and folders not sent');
    expect(decided.find(({ path }) => path === 'secret.key')).toMatchObject({
      sent: false,
      reason: 'dockerignored',
      by: '.dockerignore:1 *.key',
    });
  });

  test('of the name of the Dockerfile comes first', async () => {
    const { names } = await sent('*\n', { 'Dockerfile.dockerignore': 'sub\n' });
    expect(names).toEqual(['a.txt', 'data/keep/two', 'data/one', 'secret.key']);
  });
});
