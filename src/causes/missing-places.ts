import { dirname } from 'node:path';
import { fill } from './fill.ts';
import type { Refinement } from './rule.ts';

/** What helps where a file is missing, by its place; the first that fits. `{part}` is what the pattern captured. */
const places: readonly { path: RegExp; fix: string; setting?: string; written?: true }[] = [
  {
    path: /^(?!\/tmp\/)\//,
    written: true,
    fix: 'the code writes there, so the folder is missing: make it before (mkdir -p {folder}), or mount the volume that has it',
  },
  {
    path: /\/(?:site|dist)-packages\/(?<part>\w+)/,
    fix: 'it comes with the package {part}: install the version of {part} that the code was written for, and leave no file of it out',
    setting: 'dependencies.pip.{part}',
  },
  {
    path: /\/node_modules\/(?<part>(?:@[\w.-]+\/)?[\w.-]+)/,
    fix: 'it comes with the package {part}: install it again in the image (npm ci), in the version of the lock file',
  },
  {
    path: /^\/(?:var\/)?tmp\//,
    fix: 'it is unpacked or written while the program runs: use a model or archive that was made with the installed version, or mend the step that writes it',
  },
  {
    path: /^(?:\.?\/)?(?:[\w.-]+\/)*(?<part>\.next|dist|build|out|target)\//,
    fix: 'the build makes it: run that in the image before the start, without an ignore file or a mount that hides {part}',
  },
  {
    path: /^\/(?:data|mnt|models?|config|etc|srv|var|opt\/ml|persistent-storage|workspace|run|secrets?)\//,
    fix: 'put it there before the start: copy it into the image, mount the volume that has it at {folder}, or read it from /persistent-storage',
  },
];

/** A missing file is added where it belongs: the app folder has neither those of packages nor those of volumes. */
export const missingPlace: Refinement = (found, { path }, _, before) => {
  if (path === undefined || !found.fix.startsWith('add it to the app folder')) return undefined;
  const isWritten = before.slice(-8).some((line) => /\bopen\(.{1,160}, (?:mode=)?['"][wax]/.test(line));
  for (const { path: pattern, fix, setting, written } of places) {
    const shown = written && !isWritten ? null : pattern.exec(path);
    if (!shown) continue;
    const words = { part: shown.groups?.part ?? '', folder: dirname(path) };
    return { ...found, fix: fill(fix, words), ...(setting !== undefined && { setting: fill(setting, words) }) };
  }
  return undefined;
};
