// npm runs this in a clone, and before it packs a dependency from git. For a global one it installs nothing there, since
// `--global` reaches the npm in the clone by the environment.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('node_modules/rolldown')) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_(global|location)$/i.test(name)),
  );
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--include=dev'], {
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci exited with ${status}`);
}
await import('../build.js');
