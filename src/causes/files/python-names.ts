/** The modules of Python's standard library, of all versions that are offered, and the builtins: sys.stdlib_module_names of 3.10 to 3.13. */
export const standardModules: ReadonlySet<string> = new Set(
  `
  abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
  concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm
  decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
  fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac
  html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache
  locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc
  nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools
  pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
  pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select
  selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
  sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig
  syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize
  tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv
  warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`
    .trim()
    .split(/\s+/),
);

/** Modules by the version that brought them, and by the one that removed them. */
export const addedModules: Readonly<Record<string, string>> = { tomllib: '3.11' };
export const removedModules: Readonly<Record<string, string>> = {
  binhex: '3.11',
  smtpd: '3.12',
  imp: '3.12',
  asynchat: '3.12',
  distutils: '3.12',
  asyncore: '3.12',
  spwd: '3.13',
  cgitb: '3.13',
  msilib: '3.13',
  mailcap: '3.13',
  cgi: '3.13',
  lib2to3: '3.13',
  telnetlib: '3.13',
  sunau: '3.13',
  crypt: '3.13',
  sndhdr: '3.13',
  aifc: '3.13',
  audioop: '3.13',
  nis: '3.13',
  uu: '3.13',
  nntplib: '3.13',
  pipes: '3.13',
  ossaudiodev: '3.13',
  xdrlib: '3.13',
  chunk: '3.13',
  imghdr: '3.13',
};

/** Names of the standard library by the version that brought them. */
export const addedNames: readonly (readonly [version: string, names: RegExp])[] = [
  [
    '3.11',
    /^(?:typing\.(?:LiteralString|Never|NotRequired|Required|Self|Unpack|TypeVarTuple|assert_never|reveal_type)|enum\.(?:StrEnum|verify|member)|datetime\.UTC|asyncio\.(?:TaskGroup|Runner|timeout|Barrier))$/,
  ],
  ['3.12', /^(?:typing\.(?:TypeAliasType|override)|itertools\.batched)$/],
  ['3.13', /^(?:typing\.(?:ReadOnly|TypeIs|NoDefault)|warnings\.deprecated|copy\.replace)$/],
];

export const builtins: ReadonlySet<string> = new Set(
  `
  ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
  BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
  ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception
  ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
  ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
  KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
  NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
  PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
  StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
  TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
  UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError _ abs aiter all anext any ascii bin
  bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod
  enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int
  isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print
  property quit range repr reveal_type reversed round set setattr slice sorted staticmethod str sum super tuple type
  vars zip`
    .trim()
    .split(/\s+/),
);
