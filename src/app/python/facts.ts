/** A line of a file, from 1. */
export interface At {
  line: number;
}

/** What a Python file says, as far as it is known without running it. */
export interface PythonFacts {
  imports: Import[];
  calls: PythonCall[];
  /** Texts in the code that can be paths or modules, as far as they are known: `unknown` stands for the rest. */
  texts: (At & { value: string })[];
  /** `items.router` of an imported name. */
  members: (At & { object: string; name: string; isSet: boolean })[];
  environment: VariableRead[];
  /** What other modules can import from it. */
  names: ReadonlyMap<string, Definition>;
  /** Modules that it makes itself: `sys.modules["x"] = …`. */
  madeModules: ReadonlySet<string>;
  rebound: ReadonlySet<string>;
  /** The text of a name that is assigned once: of a constant, or of a field of a class. */
  values: ReadonlyMap<string, string>;
  /** Lines that run only where the file is the script. */
  scriptLines: ReadonlySet<number>;
  /** Whether it may have other names, too. */
  hasMore: boolean;
  /** Names that nothing defines, or only a line below. */
  undefinedNames: (At & { name: string; definedAt?: number | undefined })[];
  /** Whether some of it is no Python. */
  isBroken: boolean;
  /** Its functions and the methods of its classes: `Index.load`. */
  functions: ReadonlySet<string>;
  /** Syntax that only this version and later ones know. */
  needs: (At & { version: string; what: string })[];
}

export interface Import extends At {
  /** Without the dots of a relative one. */
  module: string;
  level: number;
  /** The name that it imports from the module; `*` for all, undefined for the module itself. */
  name?: string | undefined;
  /** What the file calls it. */
  as: string;
  /** `sometimes` if the code may run without it: in a function, under a condition; `guarded` if it says what to do then. */
  isNeeded: 'always' | 'sometimes' | 'guarded';
  /** The import whose failure leads here: `try: import a`, `except ImportError: import b`. */
  insteadOf?: Import | undefined;
}

export interface PythonCall extends At {
  /** The name after its import: `uvicorn.run`, `flask.Flask.run` of an object; `.read_text` of what has no name. */
  name: string;
  /** The text that it is called on, and those that it is called with. */
  object: string | undefined;
  arguments: (string | undefined)[];
  keywords: Readonly<Record<string, string | undefined>>;
  /** Names and members that it is given and that have no text here, by their keyword or number: `config.PORT`. */
  references: Readonly<Record<string, string>>;
  /** As the file writes it: `router.get`. */
  written: string;
  isDecorator: boolean;
  /** Whether it is given what is not written out: `*args`. */
  isOpen: boolean;
  /** Whether the code goes on if it finds no file. */
  isTried: boolean;
}

export interface VariableRead extends At {
  name: string;
  /** Whether the code surely fails without it, may fail, only reads it, or sets it itself. */
  isNeeded: 'always' | 'sometimes' | 'no' | 'set';
}

/** A name at the top level of a file: `made` is the class of an object, `class`, `def`, or empty. */
export interface Definition extends At {
  made: string;
}

/** Stands for what is not known in a text, and for the folder of the app before a path. */
export const unknown = '\0';
export const appFolder = '\x01';

/** Whether the code makes this path from its own place. */
export const isFromFile = (value: string) => value.startsWith(appFolder);

/** The path of a text in the app: of one that the code makes from `__file__`, or of a plain one. */
export function pathIn(value: string): string {
  const whole = isFromFile(value) ? value.slice(1) : value;
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return (value.startsWith('/') ? '/' : '') + parts.join('/');
}
