import { packageOf } from '../import-names.ts';
import { moduleOf } from '../moved-names.ts';
import { type FailureRule, rowsIf } from '../rule.ts';
import { framesOf, isForeignFile } from '../tracebacks.ts';

const rows = rowsIf({
  'of a package': ({ module = '' }) => packageOf(module) !== undefined,
  'in a package': ({ name = '' }, _, before) =>
    isForeignFile(framesOf(before()).at(-1)?.file) && !isHandedOn(name, before()),
  'by a package': ({ name = '' }, _, before) =>
    isForeignFile(framesOf(before()).at(-1)?.file) && isCalled(name, framesOf(before()).at(-1)?.code),
  moved: ({ object = '', name = '' }) => moduleOf(object, name) !== undefined,
});

/** Code that was written for another version of a package or of Python. */
export const versionRules: readonly FailureRule[] = [
  ...rows`
package-api-changed | after /\/kombu\//: ^AttributeError: async$; ^KeyError: 'async'$ | celery does not fit the installed kombu | pin both to versions of the same time: celery 4.1 with kombu<4.2, celery 5 with kombu 5 | dependencies.pip.kombu
package-api-changed | after /\/pandas\/io\/sql\.py"/: AttributeError: '{object=Connection|Engine}' object has no attribute 'cursor' | pandas 2.2 and later need SQLAlchemy 2, and an older one is installed | pin sqlalchemy = ">=2", or pandas = "<2.2" | dependencies.pip.sqlalchemy
package-api-changed | ObjectNotExecutableError: Not an executable object; 'str' object has no attribute '_execute_on_connection'; '{object=Engine|OptionEngine}' object has no attribute 'execute' | SQLAlchemy 2 takes no plain text as a query, and runs it on a connection only | with engine.connect() as c: c.execute(text("...")); update pandas to 2 or later, or pin sqlalchemy = "<2" | dependencies.pip.sqlalchemy
package-api-changed | Mismatched PJRT plugin; Unexpected PJRT_Client_Create_Args size; plugin is likely built with a later version than the framework; but this version of jax requires version {wanted}; is newer than and incompatible with jax version | jax, jaxlib and the plugin of jax for CUDA are not of one version | pin all to one version: jax[cuda12] brings those that fit | dependencies.pip.jax
package-api-changed | media_type_header_exception; Accept version must be either version | the client of Elasticsearch is newer than the server | pin elasticsearch to the major version of the server | dependencies.pip.elasticsearch
package-api-changed | make_metavar() missing 1 required positional argument: 'ctx' | typer, or another package of commands, is older than the installed click | update typer (0.15.4 or later), or pin click = "<8.2" | dependencies.pip.click
package-api-changed | has no attribute '__sklearn_tags__' | xgboost, or another package beside scikit-learn, is older than the installed one | update it (xgboost 2.1.4 or later), or pin scikit-learn = "<1.6" | dependencies.pip.scikit-learn
package-api-changed | Descriptors cannot {|not }be created directly | the code was generated for an older protobuf than the installed one | pin protobuf = "<3.21", or generate it again with a newer protoc | dependencies.pip.protobuf
package-api-changed | VersionError: Detected {incompatible|mismatched} Protobuf Gencode/Runtime …gencode {wanted} runtime {found}. {Same|Runtime|The} | the code was generated for protobuf {wanted}, and {found} is installed | pin protobuf to {wanted} or a later one of the same major version, or use the version of the package (or of protoc) that was made for {found} | dependencies.pip.protobuf
package-api-changed | operator torchvision::nms; load custom C++ ops | torch and torchvision are not of the same release | pin both to versions of the same release, such as torch 2.4.0 and torchvision 0.19.0 | dependencies.pip.torchvision
package-api-changed | this is no longer supported in openai>=1.0.0 | the code is written for openai 0.x, and a newer one is installed | use client = OpenAI() and its methods, or pin openai = "==0.28.1" | dependencies.pip.openai
package-api-changed | BaseSettings has been moved to the \`pydantic-settings\` package; \`BaseSettings\` has been moved to the \`pydantic-settings\` package; \`BaseSettings\` has moved to the \`pydantic-settings\` package | BaseSettings is in the package pydantic-settings since pydantic 2 | add pydantic-settings to [cerebrium.dependencies.pip], and import BaseSettings from pydantic_settings | dependencies.pip
package-api-changed | __init__() got an unexpected keyword argument 'proxies'; Client() got an unexpected keyword argument 'proxies' | a client of openai or anthropic does not fit the installed httpx: httpx 0.28 has no proxies | update openai or anthropic, or pin httpx = "<0.28" | dependencies.pip.httpx
package-api-changed | ^AttributeError: \`np.{name}\` was removed in the NumPy 2.0 release | numpy has no {name} since 2.0 | pin numpy = "<2", or change the code as the message says | dependencies.pip.numpy
5 circular-import | ^AttributeError: module '{module=tensorflow|torch|numpy|cv2|pandas}' has no attribute '{__version__|keras|compat|Tensor|nn|cuda|array|ndarray|dtype|imread|DataFrame|float32}' | what is imported as {module} is not the package: it is empty, or another file or folder has its name | rename files and folders that are called {module}, and install {package} again: pip install --force-reinstall {package} | dependencies.pip.{package}
package-api-changed | of a package: ^AttributeError: module '{module}' has no attribute '{name}' | {module} has no {name} in the version that is installed | pin {package} to the version that the code was written for, or change the code | dependencies.pip.{package}
package-api-changed | /^pydantic\.errors\.PydanticUserError: (?<problem>\`\w{1,40}\` is removed.{0,80}|If you use \`@root_validator\`.{0,80}|A non-annotated attribute was detected.{0,80})/ | the code is written for pydantic 1, and pydantic 2 is installed: {problem} | change it as the message says, or pin pydantic = "<2" | dependencies.pip.pydantic
package-api-changed | 'FieldInfo' object has no attribute '{name=required|type_|outer_type_|sub_fields|allow_none|field_info}'; 'pydantic_core._pydantic_core.{|MultiHost}Url' object has no attribute '{name}'; '{AnyUrl|AnyHttpUrl|HttpUrl|PostgresDsn|RedisDsn}' object has no attribute '{name}' | pydantic 2 is installed, and the code that uses {name} is written for pydantic 1 | pin pydantic = "<2", or update the package whose file the traceback names last; of an address, take str(url) | dependencies.pip.pydantic
3 package-api-changed | ^pydantic.errors.PydanticUserError: {problem…}; ^pydantic.errors.PydanticSchemaGenerationError: {problem…} | the code does not fit the installed pydantic: {problem} | change it as the message says, or pin pydantic to the version that the code was written for | dependencies.pip.pydantic
package-api-changed | /^ImportError: (?<package>[\w.-]{1,80}?)(?<wanted>[<>=!~]\S{1,60}) is required for a normal functioning of this module, but found (?<found>\S{1,80}?)\.?$/; /VersionConflict: \((?<found>\S{1,60} \S{1,20}).{0,200}Requirement\.parse\('(?<package>[\w.-]{1,80})(?<wanted>[^']{0,60})'\)/ | a package needs {package}{wanted}, and {found} is installed | pin {package} to {wanted}, or update the package that needs it | dependencies.pip.{package}
2 package-api-changed | Could not import module '{model}'. Are this object's requirements defined correctly; Failed to import {model} because of the following error | transformers cannot load {model}: torch, torchvision or another package does not fit | use versions of transformers, torch and torchvision of the same time, and read the error before it | dependencies.pip.transformers
3 package-api-changed | by a package: ^TypeError: {name}() missing … required {positional|keyword-only} argument{|s}: {argument…}; ^TypeError: {name}() takes … positional argument{|s} but … given | two packages do not fit together: one calls {name} as another version has it: {argument} | update both packages, or pin the one that is called to an older version | dependencies.pip
3 package-api-changed | in a package: ^TypeError: {name}() got an unexpected keyword argument '{argument}' | two packages do not fit together: {name} does not take {argument} | update both packages, or pin the one that is called to an older version | dependencies.pip
python-version-unsupported | /^ImportError: cannot import name '(?<name>Mapping|MutableMapping|Sequence|MutableSequence|Iterable|Iterator|Callable|Set|MutableSet|Hashable|Sized|Container|Generator|Awaitable|Coroutine|Collection)' from 'collections'/; ^AttributeError: module 'collections' has no attribute '{name}' | the code uses collections.{name}, which Python has no longer since 3.10 | import {name} from collections.abc, or update the package that does not | dependencies.pip
package-api-changed | moved: ^AttributeError: '{object}' object has no attribute '{name}'; ^TypeError: {object=MessageToJson|MessageToDict}() got an unexpected keyword argument '{name}' | {object} has no {name} in the version that is installed | pin the package to the version that the code was written for, or change the code | dependencies.pip
`,
];

/** Whether a line of code names what it calls: a package calls a function of the app by another name. */
const isCalled = (name: string, code = '') =>
  name.split('.').some((word) => new Set(code.split(/\W+/)).has(word)) && !/\(.*\*/.test(code);

/** Whether a package only calls a function that it was given, such as one of the app, with what came for it. */
function isHandedOn(name: string, before: readonly string[]): boolean {
  const { code = '' } = framesOf(before).at(-1) ?? {};
  const words = name.split('.');
  return words.at(-1) !== '__init__' && /\(.*\*/.test(code) && !words.some((word) => code.includes(word));
}
