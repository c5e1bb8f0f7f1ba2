import { isOlder } from '../../app/wheels.ts';

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

/** Modules of the standard library and names in them, by the version that brought them: of the pages "What's New in Python". */
const added: ReadonlyMap<string, string> = new Map(
  byVersion(`
  3.11 tomllib asyncio.Barrier asyncio.Runner asyncio.TaskGroup asyncio.timeout asyncio.timeout_at datetime.UTC enum.EnumCheck
  enum.FlagBoundary enum.ReprEnum enum.StrEnum enum.global_enum enum.member enum.nonmember enum.property enum.verify
  hashlib.file_digest inspect.getmembers_static math.cbrt math.exp2 operator.call typing.LiteralString typing.Never
  typing.NotRequired typing.Required typing.Self typing.TypeVarTuple typing.Unpack typing.assert_never
  typing.assert_type typing.clear_overloads typing.dataclass_transform typing.get_overloads typing.reveal_type
  3.12 asyncio.eager_task_factory calendar.Day calendar.Month collections.abc.Buffer
  inspect.BufferFlags itertools.batched math.sumprod typing.TypeAliasType typing.override types.get_original_bases
  3.13 asyncio.QueueShutDown copy.replace math.fma typing.NoDefault typing.ReadOnly typing.TypeIs
  typing.get_protocol_members typing.is_protocol warnings.deprecated queue.ShutDown`),
);

/** Those that it had until then, of the same pages. */
const removed: ReadonlyMap<string, string> = new Map(
  byVersion(`
  3.0 itertools.ifilter itertools.imap itertools.izip os.getcwdu string.join string.letters string.lowercase
  string.maketrans string.uppercase sys.maxint sys.setdefaultencoding urllib.quote urllib.unquote urllib.urlencode
  urllib.urlopen urllib.urlretrieve
  3.8 cgi.escape platform.linux_distribution time.clock
  3.9 base64.decodestring base64.encodestring fractions.gcd
  3.10 collections.Callable collections.Iterable collections.Iterator collections.Mapping collections.MutableMapping
  collections.MutableSequence collections.MutableSet collections.Sequence collections.Set
  3.11 binhex asyncio.coroutine inspect.formatargspec inspect.getargspec
  3.12 asynchat asyncore distutils imp smtpd configparser.SafeConfigParser importlib.find_loader locale.format pkgutil.ImpImporter pkgutil.ImpLoader
  ssl.match_hostname ssl.wrap_socket
  3.13 aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau
  telnetlib uu xdrlib re.template typing.io typing.re unittest.findTestCases unittest.makeSuite`),
);

/** The version since or until when Python has a module, or a name in one, if a Python does not have it. */
export function otherPython(name: string, python: string): { since?: string | undefined; until?: string | undefined } {
  const since = added.get(name);
  const until = removed.get(name);
  if (since !== undefined && isOlder(python, since)) return { since };
  return until === undefined || isOlder(python, until) ? {} : { until };
}

function byVersion(table: string): [name: string, version: string][] {
  return table
    .trim()
    .split(/\s+(?=3\.)/)
    .flatMap((row) => {
      const [version = '', ...names] = row.split(/\s+/);
      return names.map((name): [string, string] => [name, version]);
    });
}

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
