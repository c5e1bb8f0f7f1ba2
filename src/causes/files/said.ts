import { casesOf, type Details } from '../cases.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/**
 * What is said of a cause that the files show: its name with that of the case, `!` if it fails for certain, the title, why it is
 * so, and the fix. Without a title or a fix, it is what is said of the cause in a log.
 */
const textsOf = casesOf`
apt-install-failed | ! | apt-get install finds no packages: the image has no lists of them at this line | - | write RUN apt-get update && apt-get install …, in one RUN
apt-package-not-found | - | - | Debian has {meant} | {key} = "latest" // write {meant}
apt-package-not-found gone | - | - | {base} is of a newer Debian or Ubuntu, which has removed it | write {instead}, or use an image of an older system // remove {package}, or use an image of an older system
bound-to-localhost | - | - | {what} listens on {said} // {what} does not say where it listens | write 0.0.0.0 instead of {said} // write {keyword}="0.0.0.0" in that call
circular-import | ! | - | {other} imports {file} in line {waitsAt}, before it defines {name} in line {definedAt} | move what both need into a module of its own, or import {name} inside of the function that uses it
command-failed member | - | {name} is asked for, and nothing in the project has that name | there are {names} | write {meant} // write one of these names
command-failed script | ! | {file} runs {command}, and {own} has no script {name} | - | add {name} to {own}, or use one of {known}
command-failed static | ! | collectstatic needs STATIC_ROOT, which {file} does not set | - | write STATIC_ROOT = BASE_DIR / "staticfiles" in {file}
command-not-found | - | - | nothing installs {package} | -
command-not-found code | - | - | {file} starts it, and no apt package brings it | -
command-not-found development | ! | - | {package} is one of the devDependencies, and the image does not install these | install all packages for the build, or move {package} to dependencies
command-not-found image | - | - | the image {base} has no {command} | -
command-not-found package | - | - | {package} starts {command}, and no apt package brings it | -
command-not-found like | - | - | it is probably meant for {meant} | write {meant}
command-not-found path | - | - | it is in {home}/bin, where the PATH does not look | ENV PATH="{home}/bin:$PATH"
copy-source-missing | ! | {file} copies {path}, which is not in the app folder | the folder has {meant} | write {whole} instead of {path} // add it to the app folder, or remove it from the instruction
copy-source-missing excluded | ! | - | it is in the app folder, but {because} | -
copy-source-missing outside | ! | {file} copies {path}, which is outside of the app folder | - | put it into the app folder: only that is sent
copy-source-missing made | ! | {file} copies {path}, which no command of the stage {stage} makes | - | name what its build writes, or change where the build writes it
copy-source-missing stage | - | {file} copies from a stage {from}, which it does not have before that line | - | --from={meant} // use the name of a stage: {names} // use the name of a stage: FROM … AS name
data-missing | - | nothing installs {model}, which {file} loads | - | run python -m spacy download {model} in shell_commands
dependency-conflict | ! | - | {package} is bound to {other} and to {wanted} // no version of {package} is {wanted} | -
dependency-conflict needed | ! | - | {package} {version} needs {other}{bound}, and the pin is {pin} // {package} {version} needs {other}{bound}, and what is asked is {asked} | pin {other} to {bound}, or use another {package}
dockerfile-invalid base | ! | - | - | begin it with FROM and an image, such as FROM python:3.11-slim
dockerfile-invalid keyword | ! | - | - | write {meant} // end the line before it with a backslash, if it belongs to that instruction
dockerfile-invalid target | ! | - | - | {whole}
dockerfile-invalid list | ! | - | it is run as the text of a shell command; JSON has double quotes | write the words in double quotes
entrypoint-attribute-missing | ! | the entrypoint names an object that {module} does not have: {name} | it has only functions: {functions} | write {target}:{meant} // remove [cerebrium.runtime.custom], so that {default} serves the functions, or add the object // add {name} to {module}
entrypoint-invalid ampersand | ! | {target} goes to the background, and the container ends | the command ends with & | remove that &
entrypoint-invalid background | - | {target} goes to the background, and the container ends | - | -
entrypoint-invalid file | ! | the entrypoint is a file, not a command: {target} | a Python file needs an interpreter | entrypoint = ["python", "{target}"]
entrypoint-invalid no-shell | ! | {form} is the text of a shell command, and {base} has no shell | - | write a list of words: ["/app", "--flag"]
entrypoint-invalid of-image | ! | {base} has an ENTRYPOINT of its own, which takes CMD for its flags | - | write ENTRYPOINT instead of CMD
entrypoint-invalid one-word | ! | {form} is a list of one word that contains spaces: no program has that name | - | write each word of it in quotes of its own
entrypoint-invalid shell | ! | the entrypoint starts {target}, which only a shell knows | - | entrypoint = ["sh", "-c", "…"]
entrypoint-invalid spaces | ! | the entrypoint is one word that contains spaces: no program has that name | - | entrypoint = {words}
entrypoint-not-found | ! | {path} is started, and is not in the app | - | -
entrypoint-not-found elsewhere | ! | {path} is started, and is not there | there is {near} | start {near}
entrypoint-not-found image | ! | {path} is started, which is not in the image | the image has {same} | start {same} // copy it in {dockerfile}
entrypoint-not-found main | ! | python -m {module} runs {path}, which is not there | - | -
entrypoint-not-found module | - | {program} loads {path}, which is not in {cwd} | the app has {there} // the app has {names} | write {meant}, or add {flag} {folder} // write {meant} // add {flag} {folder} // name a module of the app
entrypoint-not-found read | ! | {program} reads {path}, which is not in the image | the image has {same} | name {same} // copy it in {dockerfile}
function-missing | - | - | it has the class {owner}, and a call reaches functions only // a call reaches the functions at the top of main.py | write one below the class: def {method}(text: str): return {owner}().{method}(text) // write one: def run(text: str): return {"text": text}
file-encoding | - | {path} is not UTF-8 | - | save {path} as UTF-8
file-encoding python | ! | - | Python reads its files as UTF-8, unless a comment in the first lines names another encoding | save {path} as UTF-8
file-excluded | ! | {path} is in the app folder, but is not sent: {because} | - | -
file-excluded opened | - | {path} is in the app folder, but is not sent: {because} | {file}:{line} {opens} it | -
file-invalid | - | {path} is not valid: {problem} | - | -
file-invalid merge | - | {path} has an unresolved merge conflict | - | keep one of the two sides, and remove the lines <<<<<<<, ======= and >>>>>>>
file-not-found | - | - | - | add {path} to the app
file-not-found case | - | - | the app has {same} | open {same}, or rename it
file-not-found folder | - | {file} names the folder {path}, which {place} does not have | - | add {path} with its files, or name the folder that there is
file-not-found image | - | - | the image has {same} // {dockerfile} copies nothing to it | open {same} // copy it in {dockerfile}
file-not-found like | - | - | the folder has {meant} | open {whole}, or rename it
file-not-found needed | ! | {command} needs {path}, which is not in the image at that line | it is copied in {later} | write COPY {own} {target} above this line // add {path} to the app, and COPY it above this line
file-not-found outside | - | {file} opens {path}, which is outside of the app folder | - | put it into the app folder: only that is sent
file-not-found start | - | {file} opens {path} in {start}, where the app starts, and it is not there | the image has {there} | open it by a path from __file__, or by its path from there
file-not-found template | - | {file} names the template {path}, which {place} does not have | there is {other} | bring {other} to where it is looked for // add {path} to a folder of templates
file-not-found uncopied | - | {path} is not in the image: {dockerfile} does not copy it | - | COPY {path} in {dockerfile}
file-not-found volume | - | {file} names {path}, and the volume is at {meant} | - | write {meant}
git-access-denied | ! | - | "{line}" needs an SSH key, and the build has none | -
git-lfs-pointer | - | {path} is only a pointer of Git LFS, not its content | - | -
git-missing | - | - | "{line}" is fetched with git | -
gpu-count-too-low | - | {file} takes {size} GPUs, and gpu_count is {gpus} | - | gpu_count = {size}
gpu-driver-missing | - | {file} uses a GPU, and compute is CPU | - | compute = "AMPERE_A10"
health-check-failed | - | the app has no {path}, which the platform asks for | its routes are {routes} | {check}_endpoint = "{meant}"
image-not-found | - | {image} is not a known image: did you mean {meant}? | - | {key} = "{meant}" // write {meant}
image-without-command | ! | {file} has no CMD and no ENTRYPOINT, and no entrypoint is set | the image {base} starts no server | add a CMD line to {file}, or set entrypoint
import-name-missing | - | - | - | import {meant}, or define {name} in {path} // rename {path}, which hides {hidden}
import-name-missing member | - | - | - | use {object}.{meant}, or define {name} in {path} // rename {path}, which hides {hidden}
line-endings | - | {path} has Windows line endings, which a shell takes for a part of each line | - | -
lock-file-outdated npm | ! | package-lock.json does not have {package}, which package.json lists | npm ci installs only what both have | npm install, and send the new package-lock.json
module-excluded | - | {path} is in the app folder, but is not sent: {because} | {file}:{line} imports it | -
module-missing | - | {file} imports {module}, which neither the app nor a package has | - | add its file to the app, or the package that has it to the dependencies
module-missing beside | - | {file} imports {module}, which neither the app nor a package has | {top} is beside the app folder, and only the app folder is sent | move it into the app folder
module-missing called | - | {name} needs {module}, and nothing installs it | - | -
module-missing development | - | {file} imports {module}, and the image installs no devDependencies | - | move {module} to dependencies
module-missing elsewhere | - | {file} imports {module}, which is not where Python looks for it | the app has {there}, and Python looks in {looked} | import it by its whole path, or start the app in the folder that has it
module-missing own | - | {file} imports {module}, which the app does not have | the app has {near} | import it by the name that it has, or rename {near} // add its file to the app
module-missing renamed | - | {file} imports {module}, and the module of the package {of} is {own} | - | import {own}
module-missing uncopied | - | {file} imports {module}, and {dockerfile} does not copy {own} | - | COPY {words}
module-missing unlisted | - | {file} imports {module}, which {manifest} does not list | - | {adds} {module}
module-missing uninstalled | - | {file} imports {module}, and nothing installs {package} | - | -
name-undefined | - | {path} uses {name} before line {definedAt}, which defines it | only {those} have it | -
node-module-kind | ! | {path} imports {name}, and Node wants the whole name of a file | - | write ./{meant}
not-listening | - | {file} makes an app, and nothing in it starts a server | - | start it with a server, or call it at the end of {file}
not-listening stdio | - | {file} starts a server of MCP that talks over its input and output, not over a port | - | run(transport="http", host="0.0.0.0", port={port})
not-listening streamlit | - | python runs {file} once, and starts no server | - | entrypoint = ["streamlit", "run", "{script}", "--server.port", "{port}", "--server.address", "0.0.0.0"]
package-api-changed call | - | {path} {said}, which {package}{version} does not allow | only versions {bound} do | {package} = "{bound}", or change the call
package-api-changed name | - | {path} takes {name} from {module}, which {package}{version} does not have | only versions {bound} have it | {package} = "{bound}", or change the import
package-api-changed unbound | - | {package} {version} does not work with {other}{asked} // {package} {version} does not work with the {other} that pip installs beside it | it was released before {other} {since}, and does not bound it | write {other}{bound}, or use a newer {package}
package-index-unreachable | - | - | {host} is an address of a private network | -
package-not-found debian | - | {package} is a package of Debian, which pip does not install | - | move it to [cerebrium.dependencies.apt]: {package} = "latest"
package-not-found like | - | - | it is not known; {similar} is probably meant | {similar} = "latest"
package-not-found module | - | {package} is the name of a module, and its package is {own} | - | {own} = "latest"
package-not-found spacy | ! | - | the models of spaCy are not on PyPI | name the address of its wheel, or run python -m spacy download {model} in shell_commands
package-version-not-found | - | - | {package} {version} was not released by {day} | use {package} {older} or {newer}
package-version-not-found local | ! | - | builds with +{local} are on an index of their own | pin {plain}, or list --extra-index-url https://download.pytorch.org/whl/{local} in a requirements file
package-version-not-found never | ! | - | {package} {version} was never released | use {package} {older} or {newer}
permission-denied | - | {path} is started, and is not executable | - | chmod +x {path}, and commit that; or start it by its interpreter
permission-denied user | ! | {program} has to run as root, and the user of the image is {user} at this line | - | write USER root above this line, and the other user again below it
port-invalid | - | {of} has \${variable}, which is not replaced in a list of words | - | write the value, or {what} ["sh", "-c", "exec …"]
python-version-unsupported module | - | {file} imports {module}, which Python {python} does not have | {module} is in the standard library since Python {since} // {module} is not in the standard library since Python {until} | python_version = "{since}"
python-version-unsupported name | - | {file} takes {name} from {module}, which has it since Python {since} // {file} takes {name} from {module}, which has it no more since Python {until} | the app has Python {python} | python_version = "{since}" // use what the page "What's New in Python {until}" names instead
python-version-unsupported needed | ! | - | {package} {version} needs Python {bound}, and the app runs on {python} | set a Python {bound}, or use an older {package}
python-version-unsupported project | - | {file} wants Python {wanted}, and the app runs on {python} | - | python_version = "{least}" // use an image with that Python, or change it here
python-version-unsupported wheels | - | {package} {version} has no wheels for Python {python} | it has them for Python {pythons} ({source}) // it has none for a Python that is offered ({source}) | use {package} {versions} // name the URL of a wheel: without one, the build compiles it, and fails if a compiler is missing
relative-import | ! | - | {dots} stands for a folder that is not inside of a package | import it by its name: {meant}
requirement-invalid | ! | - | pip cannot read "{line}" | {key} = "latest"
requirement-invalid no-project | ! | {file}:{at} installs {path}, which has no pyproject.toml or setup.py | - | name the package and its version, or put its code into the app folder
requirement-invalid outside | ! | {file}:{at} installs {path}, which is not in the {place} | "{line}" is on this machine only | name the package and its version, or put its code or wheel into the app folder
requirements-file-missing | ! | - | only files of the app folder are {sent} | -
runtime-missing asgi | - | - | - | [cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["uvicorn", "main:{name}", "--host", "0.0.0.0", "--port", "8000"]
runtime-missing wsgi | - | - | - | [cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["gunicorn", "main:{name}", "--bind", "0.0.0.0:8000"]
secret-missing | - | - | the name of the secret is {other} // neither the app nor the project has it | -
secret-missing name | - | {file} needs {name}, and {where} {says} {other} | nothing sets {name}, and nothing reads {other} | write {name} in both places, or {other}
shared-library-missing | - | {name} loads a library of {package}, and no apt package brings it | - | -
shell-syntax-error | ! | - | - | -
shell-syntax-error blanks | - | a backslash with blanks behind it ends the command: the next line is one of its own | - | remove the blanks at the end of the line
syntax-error | ! | {path} needs Python {version}: it has {what} | the app has Python {python} | python_version = "{version}"
tool-version-wrong | ! | {file} wants {tool} >={wanted}, and {base} has {has} | {place} runs {command} | use a base image with that {tool}, or change what {file} wants
user-missing | ! | {file} sets USER {user}, and the image {base} has no such user | no RUN above that line makes it | write RUN adduser -D {alpine} above it // write RUN useradd --create-home {user} above it
worker-class-wrong asgi | ! | {program} serves WSGI apps, and {name} of {file} is an ASGI app ({framework}) | - | add -k {class} to the command // start it with uvicorn
worker-class-wrong like | - | gunicorn has no worker class {worker} | - | write -k {meant}
worker-class-wrong wsgi | ! | {program} serves ASGI apps, and {name} of {file} is a WSGI app ({framework}) | - | start it with gunicorn, or wrap it: WsgiToAsgi({name}) of asgiref
wrong-arguments | - | - | - | -
wrong-port exposed | - | the Dockerfile exposes port {port}, but port is {wanted} | - | port = {port}
wrong-port | - | {what} listens on port {port}, but port is {wanted} | port is not set and defaults to {default} | port = {port}
`;

/** What is said in a case of a cause, with its place and what else only the look knows. The first of the details tells it from others. */
export function say(name: string, details: Details, more: Partial<SeenCause> = {}): SeenCause {
  const [mark, title, why, fix] = textsOf(name, details);
  const captured = Object.entries(details).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return {
    cause: name.replace(/ .*/, ''),
    ...(mark && { isCertain: true }),
    captured: Object.fromEntries(captured),
    title,
    why,
    fix,
    ...more,
  };
}

/** A file of the app folder that is not sent, and why. */
export function sayUnsent(path: string, shipment: Shipment): SeenCause {
  const { why: because, fix } = shipment.whyUnsent(path);
  return say('file-excluded', { path, because }, { fix });
}
