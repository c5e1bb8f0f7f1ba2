import { type FailureRule, rows } from '../rule.ts';

/** What only the files show: no log names it, or the app does something else than it was written for. */
export const shipmentRules: readonly FailureRule[] = rows`
module-excluded | none | the module {module} is in the app folder, but is not sent | add it to include, or remove the pattern that matches it from exclude | deployment.exclude
file-excluded | none | {path} is in the app folder, but is not sent | add it to include, or remove the pattern that matches it from exclude | deployment.exclude
file-not-found | none | {path} is not in the app | add it to the app folder, or correct the path
entrypoint-not-found | none | the entrypoint starts {path}, which is not in the app | correct the entrypoint, or add the file to the app folder and to include | runtime.custom.entrypoint
entrypoint-invalid | none | the command of the entrypoint is not valid: {target} | entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"] | runtime.custom.entrypoint
command-not-found | none | {command} is not installed in the image | add the package that has {command} to [cerebrium.dependencies.pip] or [cerebrium.dependencies.apt], or correct its name
dependency-conflict | none | the packages need different versions of one package | loosen the versions so that one version fits all | dependencies.pip
runtime-missing | none | main.py has {name} of {framework}, and the default runtime serves functions, not its routes | add [cerebrium.runtime.custom] with the command that serves it | runtime.custom
function-missing | /available functions: none$/ | main.py has no function that a call can reach | write a function at the top of main.py: def run(text: str): return {"text": text}
name-undefined | none | {path} uses {name}, which nothing defines | import it, or remove it
`;
