import { isPackage, packageOf } from '../import-names.ts';
import { type FailureRule, rows, rowsWith } from '../rule.ts';
import { framesOf, isForeignFile } from '../tracebacks.ts';

/** Modules, and the libraries that they load. */
export const importRules: readonly FailureRule[] = [
  ...rows`
5 module-missing | No module named 'encodings' | Python does not find its own standard library | remove PYTHONHOME and PYTHONPATH from the environment, and make the virtual environment in the image that runs it | deployment.docker_base_image_url
2 module-missing | /^(?:\w{1,40}\.)?ModuleNotFoundError: No module named '(?<module>[\w.]{1,120})'/; Unable to import module '…': No module named '{module}'; Python stub: ModuleNotFoundError: No module named '{module}'; ^ImportError: No module named {|'}{module}{|'}$ | the Python module {module} is not installed | if {module} is a file of the app, send it with the app (include); if not, add the package that contains it to [cerebrium.dependencies.pip] | dependencies.pip
`,
  ...rowsWith({ applies: ({ module = '' }) => packageOf(module) !== undefined })`
2 module-missing | python…: No module named {|'}{module}{|'}$ | the Python module {module} is not installed | add {package} to [cerebrium.dependencies.pip]: {package} = "latest" | dependencies.pip
`,
  ...rows`
3 module-missing | /^(?:ImportError|ModuleNotFoundError|RuntimeError|ValueError): .{0,400}?(?:pip install (?:-U |--upgrade )?['"]?|lease install ['"\`])(?<package>[\w.-]{1,60}(?:\[[\w,-]{1,40}\])?)/; module is now a separate project {package}.; Form data requires "{package=python-multipart}" to be installed; PackageNotFoundError: No package metadata was found for {package}; metadata.PackageNotFoundError: {package}$; /DistributionNotFound: The '(?<package>[\w.-]{1,80})[^']{0,60}' distribution was not found/ | a library needs {package}, which is not installed | add {package} to [cerebrium.dependencies.pip]: {package} = "latest" | dependencies.pip
`,
  ...rowsWith({ applies: ({ package: name = '' }) => isPackage(name) })`
3 module-missing | requires the {package} library but it was not found in your environment; Missing optional dependency '{package}'; AssertionError: {|\`|'|"}{package=jinja2|aiofiles|itsdangerous|python-multipart}{|\`|'|"} must be installed to use; features you requested: {package=lxml|html5lib}; '{package=cryptography}' package is required; /(?<package>PEFT|peft) backend is required/; /(?<package>TorchCodec|torchcodec) is required for/; The "{package=dnspython}" module must be installed; the {package=greenlet} library is required to use; install '{package=websockets}' or 'wsproto' manually | a library needs {package}, which is not installed | add {package} to [cerebrium.dependencies.pip]: {package} = "latest" | dependencies.pip
`,
  ...rowsWith({
    applies: ({ module = '' }, _, before) =>
      packageOf(module) === undefined || !isForeignFile(framesOf(before()).at(-1)?.file),
  })`
5 circular-import | ^{ImportError|AttributeError}: …partially initialized module '{module}'; consider renaming '{module}' since it has the same name | the module {module} imports itself, or has the name of another one | rename a file that has the name of a package, or move one of the imports into a function
`,
  ...rows`
binary-incompatible | numpy.dtype size changed, may indicate; numpy.ufunc size changed, may indicate; numpy.ndarray size changed, may indicate; A module that was compiled using NumPy; compiled against ABI version; compiled against API version; numpy.core.multiarray failed to import; RuntimeError: Numpy is not available; AttributeError: _ARRAY_API not found; ImportError: Numba needs NumPy; SystemError: initialization of _internal failed; Unable to convert function return value to a Python type! The signature was | a package was compiled for another version of NumPy or of another package | pin numpy to the version that it was made for (numpy = "<2"), or update the package | dependencies.pip.numpy
`,
  ...rowsWith({ applies: ({ package: name = '' }) => name !== 'torch' && name !== 'nvidia' })`
binary-incompatible | /^(?:[\w.]{1,60}\.)?(?:ImportError|NotFoundError|OSError): (?:\S{0,200}(?:site|dist)-packages\/(?<package>\w{1,60})\S{0,200}|.{1,300}): undefined symbol: / | {package|a package} was compiled for another version of a package that it uses, such as torch | install a build of {package|it} for the version of torch that is installed, or pin torch to the one it was made for | dependencies.pip
`,
  ...rows`
binary-incompatible | ^{ImportError|OSError}: …/{torch|nvidia}/…: undefined symbol:; : symbol …{|,} version … not defined in file … with link time reference | torch loads libraries of another CUDA, or of another MKL, than it was built with | install torch with the libraries that pip brings for it, in a base image without CUDA and without LD_LIBRARY_PATH; with conda, pin mkl = "<2024.1" | deployment.docker_base_image_url
3 import-name-missing | /^ImportError: cannot import name '(?<name>\w{1,100})' from '(?<module>[\w.]{1,120})' \((?<path>(?!\S{0,200}\/(?:site|dist)-packages\/|\S{0,200}\/lib\/python\d)\/\S{1,200}\.py)\)/ | {module} has no {name} | define {name} in {path}, or correct the import
`,
  ...rowsWith({ applies: ({ module = '' }) => packageOf(module) === undefined })`
import-name-missing | ^ImportError: cannot import name '{name}' from '{module}' (unknown location) | {module} is a folder without {name}, or without its own files | send its files with the app (include), and name no folder {module} where Python looks; if it is a package, install it again | deployment.include
`,
  ...rows`
3 import-name-missing | ^ImportError: cannot import name '{name}' from '{module}' | {module} has no {name} | pin the version of the package that the code was written for | dependencies.pip
3 import-name-missing | /^ImportError: cannot import name '?(?<name>\w{1,100})'?$/ | a module that is imported has no {name} | use the version of the package that the code was written for; where two modules of the app import each other, move one of the imports into a function | dependencies.pip
5 shared-library-missing | /(?<![\w.+-]|dlerror: )(?<library>lib(?:cublas|cudnn|cufft|curand|cusparse|cusolver|cudart|nccl|nvrtc|nvJitLink)[\w.+-]{0,40}\.so[\w.]{0,20}): cannot open shared object file/ | the image lacks the library {library} of CUDA | use a base image that has it, such as nvidia/cuda with cudnn and runtime in its tag, of the CUDA version in the name of the library; or versions of the packages that bring it | deployment.docker_base_image_url
5 shared-library-missing | /(?<![\w.+-])(?<library>lib[\w.+]{1,60}-[\da-f]{8}\.so[\w.]{0,20}): cannot open shared object file/ | a wheel brings the library {library}, and it was left out | keep the folders *.libs beside the packages: what makes the image smaller may not remove them
shared-library-missing | /(?<![\w.+-]|dlerror: )(?<library>[\w.+-]{1,80}\.so[\w.]{0,20}): cannot open shared object file/; /no library called "(?<library>[\w.+-]{1,60}?)(?:-\d)?" was found/; ^OSError: cannot load library '{library}'; ^ImportError: Unable to find {library} shared library; ^OSError: {library} library not found | the image lacks the library {library} | add {package|the package that has it} to [cerebrium.dependencies.apt]; libraries of CUDA come with the base image | dependencies.apt
3 module-missing | /Cannot find module '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/; /Can't resolve '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/; /Cannot find package '(?<name>(?:@[^'/\s]{1,60}\/)?[A-Za-z][^'/\s]{0,100})[^'\s]{0,100}'/ | the Node package {name} is not installed in the image | list {name} in package.json, and install in the image (npm ci, with devDependencies for a build) without a copied node_modules | deployment.shell_commands
`,
];
