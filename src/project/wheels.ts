/**
 * Which versions of large packages have wheels for which Python, on Linux with x86-64. Without a wheel, an installation
 * fails or compiles for an hour. Read with `pip index versions NAME --python-version 3.10 --only-binary :all:`.
 */
const readOn = '2026-11-22';

interface WheelTable {
  /** The page of the package, which lists the files of each version. */
  source: string;
  /** The newest version when it was read: nothing is known of a later one. */
  newest: string;
  /** The oldest and the newest version with wheels, for each Python that the platform offers. */
  pythons: Readonly<Record<string, readonly [oldest: string, newest: string]>>;
}

const tables: Readonly<Record<string, WheelTable>> = {
  torch: {
    source: 'https://pypi.org/project/torch/#history',
    newest: '2.15.0',
    pythons: {
      '3.10': ['1.11.0', '2.14.1'],
      '3.11': ['1.13.0', '2.15.0'],
      '3.12': ['2.2.0', '2.15.0'],
      '3.13': ['2.5.0', '2.15.0'],
    },
  },
  tensorflow: {
    source: 'https://pypi.org/project/tensorflow/#history',
    newest: '2.21.0',
    pythons: {
      '3.10': ['2.8.0', '2.21.0'],
      '3.11': ['2.12.0', '2.21.0'],
      '3.12': ['2.16.1', '2.21.0'],
      '3.13': ['2.20.0', '2.21.0'],
    },
  },
  jax: {
    source: 'https://pypi.org/project/jax/#history',
    newest: '0.12.0.1',
    // Pure Python, but each version needs the jaxlib of its own version.
    pythons: {
      '3.10': ['0.4.16', '0.6.2'],
      '3.11': ['0.4.16', '0.10.2'],
      '3.12': ['0.4.18', '0.12.0.1'],
      '3.13': ['0.4.34', '0.12.0.1'],
    },
  },
  jaxlib: {
    source: 'https://pypi.org/project/jaxlib/#history',
    newest: '0.12.0.1',
    pythons: {
      '3.10': ['0.4.13', '0.6.2'],
      '3.11': ['0.4.13', '0.10.2'],
      '3.12': ['0.4.18', '0.12.0.1'],
      '3.13': ['0.4.34', '0.12.0.1'],
    },
  },
  numpy: {
    source: 'https://pypi.org/project/numpy/#history',
    newest: '2.5.5',
    pythons: {
      '3.10': ['1.21.2', '2.2.6'],
      '3.11': ['1.23.2', '2.4.6'],
      '3.12': ['1.26.0', '2.5.5'],
      '3.13': ['2.1.0', '2.5.5'],
    },
  },
};

/** A version of a package that has no wheels for a Python. */
export interface MissingWheels {
  /** The Pythons that it has wheels for; may be empty. */
  pythons: string[];
  /** The versions that have wheels for the Python. */
  versions: readonly [oldest: string, newest: string];
  /** Where the facts are from, and when they were read. */
  source: string;
}

/** Undefined if the version has wheels for this Python, or if that is not known. */
export function missingWheels(name: string, version: string, python: string): MissingWheels | undefined {
  const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
  const versions = table?.pythons[python];
  if (!table || !versions || compareVersions(version, table.newest) > 0 || isWithin(version, versions))
    return undefined;
  const pythons = Object.keys(table.pythons).filter((each) => isWithin(version, table.pythons[each] ?? versions));
  return { pythons, versions, source: `${table.source}, ${readOn}` };
}

/** `2.1` for `==2.1` or `2.1`, without the `+cu121` of a local version; undefined for anything that leaves a choice, and for a single number. */
export function pinnedVersion(requirement: string): string | undefined {
  return /^\s*(?:={2,3})?\s*v?(\d+(?:\.\d+)+(?:\.post\d+)?)(?:\+[\w.]+)?\s*$/.exec(requirement)?.[1];
}

function isWithin(version: string, [oldest, newest]: readonly [string, string]): boolean {
  return compareVersions(version, oldest) >= 0 && compareVersions(version, newest) <= 0;
}

/** By the numbers of the release; `2.15.0.post1` counts as `2.15.0`. */
function compareVersions(one: string, other: string): number {
  const [numbers, others] = [one, other].map((version) =>
    version
      .replace(/\.post\d+$/, '')
      .split('.')
      .map(Number),
  );
  for (let at = 0; at < Math.max(numbers?.length ?? 0, others?.length ?? 0); at++) {
    const difference = (numbers?.[at] ?? 0) - (others?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
