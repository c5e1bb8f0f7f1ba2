import { spawn } from 'node:child_process';

/**
 * Starts the built program. Gives the process, and what it came to.
 * @param {string[]} args @param {{ cwd: string, env: NodeJS.ProcessEnv }} setting
 */
export function start(args, setting) {
  const child = spawn(process.execPath, args, setting);
  const texts = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].on('data', (piece) => {
      texts[name] += piece;
    });
  }
  /** @type {Promise<{ code: number | null, stdout: string, stderr: string }>} */
  const ended = new Promise((done) => child.once('close', (code) => done({ code, ...texts })));
  return { child, ended };
}
