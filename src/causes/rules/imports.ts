import { isPackage, packageOf } from '../import-names.ts';
import { type FailureRule, messageRows } from '../rule.ts';
import { isForeignFile, lastFile } from '../tracebacks.ts';

/** Modules, and the libraries that they load. */
export const importRules: readonly FailureRule[] = [
  {
    cause: 'module-missing',
    rank: 2,
    signs: [
      /^(?:\w{1,40}\.)?ModuleNotFoundError: No module named '(?<module>[\w.]{1,120})'/,
      /Unable to import module '[\w./-]{1,80}': No module named '(?<module>[\w.]{1,120})'/,
      /Python stub: ModuleNotFoundError: No module named '(?<module>[\w.]{1,120})'/,
      /^ImportError: No module named '?(?<module>[\w.]{1,120})'?$/,
    ],
    title: 'the Python module {module} is not installed',
    fix: 'if {module} is a file of the app, send it with the app (include); if not, add the package that contains it to [cerebrium.dependencies.pip]',
    at: 'dependencies.pip',
  },
  {
    // `python -m uvicorn`; a name that is not known is a module of the app.
    cause: 'module-missing',
    rank: 2,
    signs: [/^\S{0,120}python[\d.]{0,6}: No module named '?(?<module>\w{1,120})'?$/],
    applies: ({ module = '' }) => packageOf(module) !== undefined,
    title: 'the Python module {module} is not installed',
    fix: 'add {package} to [cerebrium.dependencies.pip]: {package} = "latest"',
    at: 'dependencies.pip',
  },
  {
    // A library names the package that it wants.
    cause: 'module-missing',
    rank: 3,
    signs: [
      /^(?:ImportError|ModuleNotFoundError|RuntimeError|ValueError): .{1,300}?pip install (?:-U |--upgrade )?['"]?(?<package>[\w.-]{2,60}(?:\[[\w,-]{1,40}\])?)/,
      /^(?:\w{1,30}: )?Form data requires "(?<package>python-multipart)" to be installed/,
      /PackageNotFoundError: No package metadata was found for (?<package>[\w.-]{2,60})/,
      /^ImportError: (?<package>email-validator) is not installed/,
    ],
    applies: (_, __, before) => raisedByPackage(before()),
    title: 'a library needs {package}, which is not installed',
    fix: 'add {package} to [cerebrium.dependencies.pip]: {package} = "latest"',
    at: 'dependencies.pip',
  },
  {
    // Wherever it is raised.
    cause: 'module-missing',
    rank: 3,
    signs: [
      /requires the (?<package>[\w.-]{2,60}) library but it was not found in your environment/,
      /requires the following packages that were not found in your environment: (?<package>[\w.-]{2,60})/,
      /Missing optional dependency '(?<package>[\w.-]{2,60})'/,
      /AssertionError: [`'"]?(?<package>jinja2|aiofiles|itsdangerous|python-multipart)[`'"]? must be installed to use/,
      /features you requested: (?<package>lxml|html5lib)\b/,
      /'(?<package>cryptography)' package is required/,
      /the (?<package>greenlet) library is required to use/,
      /the package (?<package>[\w.-]{2,60}) seems to be not installed/,
      /install '(?<package>websockets)' or 'wsproto' manually/,
    ],
    applies: ({ package: name = '' }) => isPackage(name),
    title: 'a library needs {package}, which is not installed',
    fix: 'add {package} to [cerebrium.dependencies.pip]: {package} = "latest"',
    at: 'dependencies.pip',
  },
  {
    cause: 'circular-import',
    rank: 5,
    signs: [
      /^(?:ImportError|AttributeError): .{0,120}partially initialized module '(?<module>[\w.]{1,100})'/,
      /consider renaming '(?<module>[^']{1,120})' since it has the same name/,
    ],
    // A package that does so does not fit another one.
    applies: ({ module = '' }, _, before) => packageOf(module) === undefined || !isForeignFile(lastFile(before())),
    title: 'the module {module} imports itself, or has the name of another one',
    fix: 'rename a file that has the name of a package, or move one of the imports into a function',
  },
  ...messageRows(`
binary-incompatible | numpy.dtype size changed, may indicate; numpy.ufunc size changed, may indicate; numpy.ndarray size changed, may indicate; A module that was compiled using NumPy; compiled against ABI version; compiled against API version; numpy.core.multiarray failed to import; RuntimeError: Numpy is not available; AttributeError: _ARRAY_API not found; ImportError: Numba needs NumPy; SystemError: initialization of _internal failed; Unable to convert function return value to a Python type! The signature was | a package was compiled for another version of NumPy or of another package | pin numpy to the version that it was made for (numpy = "<2"), or update the package | dependencies.pip.numpy
`),
  {
    cause: 'binary-incompatible',
    signs: [
      /^(?:[\w.]{1,60}\.)?(?:ImportError|NotFoundError): (?:\S{0,200}(?:site|dist)-packages\/(?<package>\w{1,60})\S{0,200}|.{1,300}): undefined symbol: /,
    ],
    applies: ({ package: name = '' }) => name !== 'torch' && name !== 'nvidia',
    title: '{package|a package} was compiled for another version of a package that it uses, such as torch',
    fix: 'install a build of {package|it} for the version of torch that is installed, or pin torch to the one it was made for',
    at: 'dependencies.pip',
  },
  {
    cause: 'binary-incompatible',
    signs: [
      /^(?:ImportError|OSError): \S{0,200}\/(?:torch|nvidia)\/\S{1,200}: undefined symbol: /,
      /: symbol \w{1,80},? version \S{1,40} not defined in file \S{1,80} with link time reference/,
    ],
    title: 'torch loads libraries of another CUDA, or of another MKL, than it was built with',
    fix: 'install torch with the libraries that pip brings for it, in a base image without CUDA and without LD_LIBRARY_PATH; with conda, pin mkl = "<2024.1"',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'import-name-missing',
    rank: 3,
    signs: [
      /^ImportError: cannot import name '(?<name>\w{1,100})' from '(?<module>[\w.]{1,120})' \((?<path>(?!\S{0,200}\/(?:site|dist)-packages\/|\S{0,200}\/lib\/python\d)\/\S{1,200}\.py)\)/,
    ],
    title: '{module} has no {name}',
    fix: 'define {name} in {path}, or correct the import',
  },
  {
    cause: 'import-name-missing',
    signs: [
      /^ImportError: cannot import name '(?<name>\w{1,100})' from '(?<module>[\w.]{1,120})' \(unknown location\)/,
    ],
    applies: ({ module = '' }) => packageOf(module) === undefined,
    title: '{module} is a folder without {name}, or without its own files',
    fix: 'send its files with the app (include), and name no folder {module} where Python looks; if it is a package, install it again',
    at: 'deployment.include',
  },
  {
    cause: 'import-name-missing',
    rank: 3,
    signs: [/^ImportError: cannot import name '(?<name>\w{1,100})' from '(?<module>[\w.]{1,120})'/],
    title: '{module} has no {name}',
    fix: 'pin the version of the package that the code was written for',
    at: 'dependencies.pip',
  },
  {
    cause: 'shared-library-missing',
    rank: 5,
    signs: [
      /(?<![\w.+-])(?<library>lib(?:cublas|cudnn|cufft|curand|cusparse|cusolver|cudart|nccl|nvrtc|nvJitLink)[\w.+-]{0,40}\.so[\w.]{0,20}): cannot open shared object file/,
    ],
    title: 'the image lacks the library {library} of CUDA',
    fix: 'use a base image that has it, such as nvidia/cuda with cudnn and runtime in its tag, of the CUDA version in the name of the library; or versions of the packages that bring it',
    at: 'deployment.docker_base_image_url',
  },
  {
    // Wheels bring libraries with the hash of their build in the name.
    cause: 'shared-library-missing',
    rank: 5,
    signs: [/(?<![\w.+-])(?<library>lib[\w.+]{1,60}-[\da-f]{8}\.so[\w.]{0,20}): cannot open shared object file/],
    title: 'a wheel brings the library {library}, and it was left out',
    fix: 'keep the folders *.libs beside the packages: what makes the image smaller may not remove them',
  },
  {
    cause: 'shared-library-missing',
    signs: [
      /(?<![\w.+-])(?<library>[\w.+-]{1,80}\.so[\w.]{0,20}): cannot open shared object file/,
      /Error loading shared library (?<library>[\w.+-]{1,80}): No such file or directory/,
      /no library called "(?<library>[\w.+-]{1,60}?)(?:-\d)?" was found/,
      /^OSError: cannot load library '(?<library>[\w.+-]{1,60})'/,
      /^ImportError: Unable to find (?<library>\w{1,40}) shared library/,
      /^OSError: (?<library>\w{1,60}) library not found/,
    ],
    title: 'the image lacks the library {library}',
    fix: 'add {package|the package that has it} to [cerebrium.dependencies.apt]; libraries of CUDA come with the base image',
    at: 'dependencies.apt',
  },
  {
    cause: 'module-missing',
    rank: 3,
    signs: [
      /Cannot find module '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/,
      /Can't resolve '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/,
      /Cannot find package '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/,
      /Cannot find module (?<name>@\S{1,100}?)\.? /,
    ],
    title: 'the Node package {name} is not installed in the image',
    fix: 'list {name} in package.json, and install in the image (npm ci, with devDependencies for a build) without a copied node_modules',
    at: 'deployment.shell_commands',
  },
];

/** Whether the traceback ends in an installed package, or there is none. */
function raisedByPackage(before: readonly string[]): boolean {
  const file = lastFile(before);
  return file === '' || isForeignFile(file);
}
