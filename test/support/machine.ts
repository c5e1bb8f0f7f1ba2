import { delimiter, resolve } from 'node:path';

/**
 * The environment of a program that a test starts, and of a command that it runs: that of the suite's own machine
 * (own-machine.ts). Tests make no other one, so that none sees the home and the settings of whoever runs them.
 */
export function machine(more: Record<string, string> = {}): Record<string, string> {
  const own = names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(own), ...more };
}

/** A PATH with git only, for commands in a repository. */
export const withGit = { PATH: process.env.GANTRY_TEST_GIT ?? '' };

const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SHELL', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM'];

/** The folder of the Python without packages. */
export const searched = 'python';

/** The PATH without that Python, for tests that need the pip of the one below it. */
export function pathWithPip(): string {
  return (process.env.PATH ?? '').split(delimiter).slice(-1).join();
}

/** No HOME, as a service may start: the user's entry in the system names the suite's home instead of the real one. */
export const withoutHome = {
  HOME: '',
  GANTRY_TEST_HOME: process.env.GANTRY_TEST_HOME ?? '',
  NODE_OPTIONS: `--require ${resolve('test/support/own-user.cjs')}`,
};

/** zsh or fish, where this machine has it: it is on no PATH of a test. */
export function shellProgram(name: 'sh' | 'bash' | 'zsh' | 'fish'): string | undefined {
  return name === 'sh' || name === 'bash' ? name : JSON.parse(process.env.GANTRY_TEST_SHELLS ?? '{}')[name];
}
