import { isAbsolute, relative } from 'node:path';
import { serverOf, shellCommands } from '../shell.ts';
import { errorAt } from '../toml/issue.ts';
import { dockerfileLine, pathKind } from './files.ts';
import { type ConfigRule, isReadable, selectRuntime } from './rule.ts';

/** What an own server starts is looked for among the files that are sent. */
export const entrypointRule: ConfigRule = function* (app) {
  if (!isReadable(app, 'runtime.custom', 'runtime.deepgram', 'runtime.rime')) return;
  const { root, configFolder } = app;
  if (selectRuntime(app) !== 'cortex' || pathKind(root, 'main.py') === 'file') return;
  const isElsewhere = configFolder !== root && pathKind(configFolder, 'main.py') === 'file';
  const dockerfile = dockerfileLine(root);
  yield errorAt(undefined, 'main.py not found', {
    why: `the default runtime serves main.py, looked for it in ${root}`,
    fix: isElsewhere
      ? `to send the folder of the config file, add -C ${relative(root, configFolder)} and name the file relative to it`
      : dockerfile
        ? `[cerebrium.runtime.custom]\n${dockerfile}`
        : 'add main.py, or set the entrypoint in [cerebrium.runtime.custom]',
  });
};

/** The Python file of the app folder that a command starts: `src/app.py` for `uvicorn src.app:app`. */
export function startedScript(root: string, entrypoint: readonly string[]): string | undefined {
  const paths = shellCommands(entrypoint.join(' ')).flatMap(({ words }) => {
    // What runs in a shell is a command in one word.
    const { script = '', module = '' } = serverOf(words[1] === '-c' ? words.slice(2) : words) ?? {};
    const path = module.replaceAll('.', '/');
    return script.endsWith('.py') ? [script] : path === '' ? [] : [`${path}.py`, `${path}/__init__.py`];
  });
  return paths.find((path) => !isAbsolute(path) && pathKind(root, path) === 'file');
}
