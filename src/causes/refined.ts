import { defined } from '../kernel/json-text.ts';
import { casesOf, type Details } from './cases.ts';
import type { Explanation } from './explanation.ts';

/** What is said of a cause that more is known of: the title, the fix and the setting. What is not said stays as it was found. */
const textsOf = casesOf`
between packages | {title}: {importer}, which takes it from there, is made for another version of {owner} | update {importer} and {owner}, or pin one of them to the time of the other | dependencies.pip.{owner}
conflict | {title}: pip replaced {wanted}, of which {owner} needs {bound} | pin {wanted} = "{bound}", or update {owner} | dependencies.pip.{wanted}
ended | {file} ends by itself, without an error: it starts no server | start one at its end that listens on 0.0.0.0, port {port}; functions of main.py need no [cerebrium.runtime.custom] | runtime.custom.entrypoint
fields | variables are not set: {names} | {fix} | -
GPU in a build | a command of the build wants a GPU, and a build has none | do it when the app starts, or on the CPU (map_location="cpu"); to compile for a GPU, name it: TORCH_CUDA_ARCH_LIST | deployment.shell_commands
hidden | {module}.py of the app hides the module {module} of Python | rename {module}.py | -
keyword | {name} takes no {word} in the version of {owner} that is installed | pin {owner} = "{bound}", or update the package or the code that gives it | dependencies.pip.{owner}
local version | - | pin {name}{plain}, without +{local}, or list --extra-index-url https://download.pytorch.org/whl/{index} in a requirements file // pin {name}{plain}, without +{local} | -
module of a package | the installed version of {owner} has no module {module} | correct the import, or pin {owner} to the version that the code was written for | dependencies.pip.{owner}
module of Python | the Python of the image does not have a module of the standard library | use a python_version that has it, or newer versions of the packages that import it | deployment.python_version
module of the app | the app imports {module}, which is not where Python looks for it | send its file with the app (include), start the app in the folder that contains it, give no other file its name, and mount nothing over it | deployment.include
moved | the installed version of {owner} has no module {missing} | pin {owner} = "{bound}"{otherwise} | dependencies.pip.{owner}
not made | {path} is not in the stage or the image that the Dockerfile copies it from | correct the path, and let the step that makes it fail when it makes nothing: no ; and no || before the end of its RUN line | -
on the volume | {path} is not on the volume | gantry cp {local} :{target} // copy it there: gantry cp FILE :{target} | -
folder to write in | the folder {folder} does not exist, and the app writes there | make it before: os.makedirs("{folder}", exist_ok=True) | -
package | - | add {name} to [cerebrium.dependencies.pip]: {name} = "{version}" | -
program of Node | - | list the package that has it in package.json, and install it before it runs: NODE_ENV=production and --omit=dev leave out devDependencies | -
program of a package | {command} is not installed in the image, or not in its PATH | add {name} to [cerebrium.dependencies.pip], or put the folder of the virtual environment that has it into PATH | dependencies.pip
program of the system | - | add {name} to [cerebrium.dependencies.apt]: {name} = "latest" | dependencies.apt.{name}
replaced | - | write {instead}: newer systems have it by that name | -
wheels | {name} {pinned} has no wheels for Python {python} // {name} {pinned} has wheels for Python {pythons} only | python_version = "{newest}" // use {name} {versions} | deployment.python_version
`;

/** Undefined if too little is known for its fix. */
export function refined(name: string, details: Details): Partial<Explanation> | undefined {
  const [title, fix, setting] = textsOf(name, details);
  return fix === undefined ? undefined : defined({ title, fix, setting });
}
