import { defaultExclude, defaultInclude } from '../app/collect.ts';
import type { AppConfig } from '../app/config.ts';
import { loadDockerIgnore } from '../app/files/dockerignore.ts';
import { exclusionReason } from '../app/files/entry.ts';
import { isSelected } from '../app/files/patterns.ts';

/** Why a file is not sent, what helps, and the setting that says so. Undefined if it is sent. */
export function whyNotSent(path: string, { root, deployment, custom }: AppConfig, shownAs = path) {
  const { include = defaultInclude, exclude = defaultExclude } = deployment;
  if (!isSelected(path, include, exclude)) return leftOut(path, deployment, shownAs);
  const { dockerfile_path: dockerfile } = custom ?? {};
  const line = dockerfile && loadDockerIgnore(root, dockerfile)?.lineFor(path, false);
  return line ? ignoredBy(line, shownAs) : undefined;
}

/** Why the patterns of an app leave a file out. `shownAs`: it, or the folder that is meant. */
export function leftOut(path: string, { exclude }: AppConfig['deployment'], shownAs = path) {
  const { why, pattern } = exclusionReason(path, exclude ?? defaultExclude);
  return {
    why: path === shownAs ? why : why.replace(path, `the files in ${shownAs}`),
    ...(pattern === undefined
      ? { fix: `add "${shownAs}" to include`, setting: 'deployment.include' }
      : {
          fix: `remove "${pattern}" from exclude, or change it to match fewer files`,
          setting: 'deployment.exclude',
        }),
  };
}

/** A line of a `.dockerignore` or a `.gitignore`, with its place. */
export function ignoredBy(line: string, shownAs: string) {
  return {
    why: `${line} leaves it out`,
    fix: `remove that line, or add !${shownAs} below it`,
    setting: 'runtime.custom.dockerfile_path',
  };
}
