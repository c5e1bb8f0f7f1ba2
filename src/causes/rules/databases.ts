import type { FailureRule } from '../rule.ts';

/** Databases: files, schemas and connections. */
export const databaseRules: readonly FailureRule[] = [
  {
    cause: 'permission-denied',
    rank: 4,
    signs: { 'attempt to write a readonly database': /attempt to write a readonly database/ },
    title: 'the app may not write to its SQLite file, or to the folder around it',
    fix: 'keep it in /persistent-storage or /tmp, in a folder where the user of the image has permission to write',
  },
  {
    cause: 'file-not-found',
    rank: 4,
    signs: { 'unable to open database file': /unable to open database file/ },
    title: 'SQLite cannot open its file: the folder does not exist, or the app may not write there',
    fix: 'create the folder first, and keep the file in /persistent-storage or /tmp',
  },
  {
    cause: 'database-locked',
    rank: 3,
    signs: { 'database is locked': /OperationalError\)?:? .{0,60}database is locked/ },
    title: 'several processes write to one SQLite file',
    fix: 'start one worker, set a longer timeout, or use a database server; SQLite on a volume that replicas share does not work',
  },
  {
    cause: 'sqlite-too-old',
    rank: 5,
    signs: {
      'unsupported version of sqlite3': /unsupported version of sqlite3/,
      'SQLite ':
        /(?:ImproperlyConfigured|NotSupportedError): .{0,20}SQLite (?<wanted>[\d.]{1,10}) or later is required/,
    },
    title: 'the SQLite of the image is older than a package needs',
    fix: 'use a newer base image (Debian bookworm or later), or add pysqlite3-binary and put it in the place of sqlite3 before the import',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'database-schema-missing',
    rank: 3,
    signs: {
      'no such table': /OperationalError\)?:? .{0,40}no such table: (?<name>[\w.]{1,80})/,
      'does not exist':
        /(?:UndefinedTable|UndefinedColumn|ProgrammingError|UndefinedTableError)\)?:? .{0,60}(?:relation|column) "?(?<name>[\w.]{1,80})"? (?:of relation \S{1,80} )?does not exist/,
      "doesn't exist": /ProgrammingError\)?:? .{0,40}Table '(?<name>[\w.]{1,80})' doesn't exist/,
      'no such column': /OperationalError\)?:? .{0,40}no such column: (?<name>[\w.]{1,80})/,
    },
    title: 'the database has no {name}',
    fix: 'run the migrations before the server starts, as in alembic upgrade head or python manage.py migrate',
  },
  {
    cause: 'database-schema-missing',
    rank: 4,
    signs: {
      'FATAL:': /FATAL: {1,4}database "(?<name>[\w.-]{1,80})" does not exist/,
      'Unknown database': /Unknown database '(?<name>[\w.-]{1,80})'/,
    },
    title: 'the database server has no database {name}',
    fix: 'create it, or correct its name in the address',
  },
  {
    cause: 'database-schema-missing',
    rank: 4,
    signs: { "Can't locate revision identified by": /Can't locate revision identified by '(?<name>\w{1,60})'/ },
    title: 'the database is at migration {name}, which this version of the app does not have',
    fix: 'deploy the version that has the migration, or bring the database to one that this version knows',
  },
  {
    cause: 'service-access-denied',
    rank: 4,
    signs: {
      'FATAL:': /FATAL: {1,4}role "[\w.-]{1,80}" does not exist/,
      pg_hba: /no pg_hba\.conf entry for host/,
      'uthentication failed': /\b[Aa]uthentication failed\b.{0,80}(?:mongo|code: 18|AuthenticationFailed)/,
      ACCESS_REFUSED: /ACCESS_REFUSED - Login was refused/,
      OperationFailure:
        /pymongo\.errors\.OperationFailure: (?:bad auth|.{0,40}[Aa]uthentication failed|.{0,80}requires authentication)/,
    },
    title: 'the database refuses the login of the app',
    fix: 'correct the user, the password and the name of the database: gantry secrets set NAME',
  },
  {
    cause: 'service-quota-exceeded',
    rank: 4,
    signs: {
      'too many clients': /FATAL: {1,4}sorry, too many clients already/,
      'remaining connection slots': /FATAL: {1,4}remaining connection slots are reserved/,
      'Too many connections': /\(?1040,? .{0,4}Too many connections/,
      'QueuePool limit': /QueuePool limit of size \d{1,6} overflow \d{1,6} reached/,
    },
    title: 'the database allows no more connections',
    fix: 'use fewer workers and replicas or smaller pools, close connections, or put a pooler such as pgbouncer in between',
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: {
      'could not translate host name': /could not translate host name "(?<host>[^"]{1,120})" to address/,
      'onnection refused':
        /^(?!.{0,200}(?:attempt \d|[Rr]etry)).{0,200}(?:OperationalError|connection to server at|[Cc]ould not connect|[Cc]annot connect|[Cc]an't connect|Connect call failed|failed to connect|Error 111 connecting).{0,300}(?:[Cc]onnection refused|ECONNREFUSED)/,
      ECONNREFUSED: /(?:connect|connecting to \S{1,80}) ECONNREFUSED|connect ECONNREFUSED/,
      'Connect call failed': /^OSError: Multiple exceptions: .{0,80}Connect call failed/,
      'server closed the connection unexpectedly': /server closed the connection unexpectedly/,
      'SSL connection has been closed': /SSL connection has been closed unexpectedly/,
      "Can't connect to": /Can't connect to (?:local )?(?:MySQL|MariaDB) server/,
      'Lost connection to': /Lost connection to MySQL server/,
    },
    undoneBy: /Application startup complete|App is ready/,
    title: 'the database or another service cannot be reached',
    fix: 'check its address: localhost is the container of the app itself, and names of Compose services are not known here',
  },
];
