import { debianPackageOfProgram, pythonPackageOfProgram } from './program-packages.ts';
import type { Refinement } from './rule.ts';

/** The package that has a program, where one is known. */
export const missingProgram: Refinement = (found, { command = '' }) => {
  if (found.cause !== 'command-not-found') return undefined;
  const debian = debianPackageOfProgram(command);
  if (debian !== undefined)
    return {
      ...found,
      fix: `add ${debian} to [cerebrium.dependencies.apt]: ${debian} = "latest"`,
      setting: `dependencies.apt.${debian}`,
    };
  const python = pythonPackageOfProgram(command);
  return python === undefined
    ? undefined
    : {
        ...found,
        fix: `add ${python} to [cerebrium.dependencies.pip], or put the folder of the virtual environment that has it into PATH`,
        setting: 'dependencies.pip',
      };
};
