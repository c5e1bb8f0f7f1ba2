import { type FailureRule, messageRows, texts } from '../rule.ts';

/** Databases: files, schemas and connections. Other hosts that the app uses while it runs. */
export const databaseRules: readonly FailureRule[] = [
  ...messageRows(`
5 network-failed | ProxyError('Cannot connect to proxy; ProxyError('Unable to connect to proxy; 407 Proxy Authentication Required | the proxy that the environment names cannot be reached, or refuses the login | correct or remove HTTP_PROXY and HTTPS_PROXY, and list hosts that need no proxy in NO_PROXY
service-quota-exceeded | sorry, too many clients already; FATAL:  remaining connection slots are reserved; Too many connections | the database allows no more connections | use fewer workers and replicas or smaller pools, close connections, or put a pooler such as pgbouncer in between
5 service-quota-exceeded | QueuePool limit of size; Timed out fetching a new connection from the connection pool; Connection is not available, request timed out after; PoolTimeout: couldn't get a connection; Timeout acquiring a connection. The pool is probably full; redis.exceptions.ConnectionError: Too many connections | all connections of the app's own pool are in use | close sessions and connections after each use, make one engine for the whole app, and then a larger pool (pool_size and max_overflow)
5 service-access-denied | without any password configured for the default user | Redis has no password, and the app gives one | take it out of the address, or start Redis with it (requirepass)
6 service-access-denied | server login failed: …no encryption; server login failed: …SSL | the pooler (PgBouncer) may log in to the database with encryption only | set server_tls_sslmode = require in pgbouncer.ini: the address of the app does not matter for that
service-access-denied | role "{user}" does not exist; Authentication failed…code: 18; OperationFailure: bad auth; OperationFailure: Authentication failed; is not allowed to connect to this MySQL server; is not allowed to connect to this MariaDB server; no pg_hba.conf entry for host; ACCESS_REFUSED - Login was refused | the database, or the broker, refuses the login of the app: {user} | correct the user, the password and the name of the database (gantry secrets set NAME); the server must allow the address of the app (its firewall, GRANT, pg_hba.conf)
5 sqlite-too-old | unsupported version of sqlite3; SQLite {wanted} or later is required | the SQLite of the image is older than a package needs | use a newer base image (Debian bookworm or later), or add pysqlite3-binary and put it in the place of sqlite3 before the import | deployment.docker_base_image_url
permission-denied | attempt to write a readonly database | the app may not write to its SQLite file, or to the folder around it | keep it in /persistent-storage or /tmp, in a folder where the user of the image has permission to write
file-not-found | unable to open database file | SQLite cannot open its file: the folder does not exist, or the app may not write there | create the folder first, and keep the file in /persistent-storage or /tmp
3 database-locked | OperationalError…database is locked | several processes write to one SQLite file, or it is on a network share that cannot lock it (CIFS, NFS) | keep it on a local disk, start one worker, or use a database server
database-schema-missing | FATAL: …database "{name}" does not exist; Unknown database '{name}' | the database server has no database {name} | create it, or correct its name in the address
download-failed | (404) when calling the HeadObject operation; (NoSuchBucket); (NoSuchKey) | the store of files has no such bucket or object: {name} | correct the names of the bucket and of the object, the region and the endpoint
`),
  {
    cause: 'database-schema-missing',
    rank: 3,
    signs: [
      /OperationalError\)?:? .{0,40}no such table: (?<name>[\w.]{1,80})/,
      /(?:UndefinedTable|UndefinedColumn|ProgrammingError|UndefinedTableError)\)?:? .{0,60}(?:relation|column) "?(?<name>[\w.]{1,80})"? (?:of relation \S{1,80} )?does not exist/,
      /ProgrammingError\)?:? .{0,40}Table '(?<name>[\w.]{1,80})' doesn't exist/,
      /OperationalError\)?:? .{0,40}no such column: (?<name>[\w.]{1,80})/,
      /\b(?:ERROR|[Ee]rror): {1,4}relation "(?<name>[\w.]{1,80})" does not exist/,
      /The table `(?<name>[\w.]{1,80})` does not exist in the current database/,
    ],
    title: 'the database has no {name}',
    fix: 'run the migrations before the server starts, as in alembic upgrade head or python manage.py migrate',
  },
  {
    cause: 'network-failed',
    signs: [
      /could not translate host name "(?<host>[^"]{0,100}(?:\/\/|:\d)[^"]{0,100})"/,
      /Error -?\d{1,4} connecting to (?<host>[a-z]{2,10}:\/\/\S{1,100}):\d{1,5}\b/,
      /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[^\s:]{1,80}(?:\/\/|:\d|:\/)\S{0,80})/,
      /Unknown (?:MySQL )?server host '(?<host>[^']{0,80}(?:\/\/|:\d)[^']{0,80})'/,
      /\bhost='(?<host>https?)', port=/,
      /address (?<host>\S{1,120}): too many colons in address/,
    ],
    title: 'more than the name of a host stands where only that belongs: {host}',
    fix: 'give the name without scheme, port and path, which have settings of their own; a whole address belongs where the code takes one, as in redis.from_url',
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: [
      /Error 111 connecting to (?<host>[\w.:-]{1,80})\. Connection refused/,
      /connection to server at "(?<host>[^"]{1,80})".{0,300}(?:[Cc]onnection refused|timeout expired)/,
      /Connect call failed \('(?<host>[^']{1,80})'/,
      /could not translate host name "(?<host>[^"]{1,120})" to address/,
      /^(?!.{0,200}(?:attempt \d|[Rr]etry)).{0,200}(?:OperationalError|connection to server at|[Cc]ould not connect|[Cc]annot connect|[Cc]an't connect|Connect call failed|failed to connect|Error 111 connecting).{0,300}(?:[Cc]onnection refused|ECONNREFUSED)/,
      /(?:connect|connecting to \S{1,80}) ECONNREFUSED(?: (?<host>[\w.:-]{1,80}))?/,
      /^OSError: Multiple exceptions: .{0,80}Connect call failed/,
      /Can't connect to (?:local )?(?:MySQL|MariaDB) server(?: on '(?<host>[^']{1,80})')?/,
      /Can't reach database server at `?(?<host>[\w.:-]{1,100})/,
      /[Uu]nable to connect to (?:the )?database\b/,
      /tcp connect \((?<host>[\w.:-]{1,80})\): (?:connection refused|non-existing domain)/,
      /FATAL: {1,4}the database system is (?:starting up|shutting down)/,
      ...texts(`server closed the connection unexpectedly; SSL connection has been closed unexpectedly;
        Lost connection to MySQL server`),
    ],
    title: 'the database or another service cannot be reached: {host}',
    fix: 'check its address: localhost is the container of the app itself, and a service of Compose has its name only there; wait until it accepts connections (a health check)',
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: [
      /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|MaxRetryError|NameResolutionError): .{0,300}(?:NameResolutionError|Failed to resolve)/,
      /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|URLError|ConnectError|ConnectionRefusedError|NewConnectionError|LocalEntryNotFoundError|APIConnectionError): .{0,300}[Cc]onnection refused/,
      /^ConnectionRefusedError: /,
      /^(?:\w[\w.]{0,80}\.)?(?:gaierror|URLError|ConnectError|ConnectionError): .{0,200}Name or service not known/,
      /^(?:\w[\w.]{0,80}\.)?\w{0,40}(?:Error|gaierror): .{0,300}Temporary failure in name resolution/,
      /^(?:\w[\w.]{0,80}\.)?(?:ReadTimeout|ConnectTimeout|Timeout|TimeoutError|ReadTimeoutError|APITimeoutError)(?:: (?:.{0,80}host='(?<host>[^']{1,80})')?.{0,200}timed out|$)/,
      /Could not resolve host: ?(?<host>[\w.-]{0,100})/,
      /OperationalError: .{0,300}(?:Connection refused|could not connect to server|could not translate host name|timeout expired|Can't connect to (?:local )?MySQL|Name or service not known|No route to host)/,
      /(?:^|[ .])(?:ConnectionError|TimeoutError): (?:Error \d{1,3} connecting to|Timeout connecting to) ?(?<host>[\w.-]{0,80})/,
      /^aiohttp\.\S{0,40}ClientConnector(?:DNS)?Error: /,
      /We couldn't connect to 'https:\/\/huggingface\.co\/?'/,
      /(?:Error|error).{0,200}Network is unreachable/,
      /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Timeout|Exception): (?:.{0,80}host='(?<host>[^']{1,80})')?.{0,200}Max retries exceeded with url/,
      /Error(?:\(|: )?.{0,200}[Cc]onnection reset by peer/,
      /(?:RemoteDisconnected|RemoteProtocolError|ConnectionError)\b.{0,120}(?:Remote end closed|Server disconnected)/,
      /^(?:error|fatal): RPC failed/,
      /^fatal: (?:early EOF|fetch-pack)/,
      /^(?:\w[\w.]{0,80}\.)?(?:ProtocolError|ChunkedEncodingError): .{0,80}IncompleteRead/,
      /^(?:\w[\w.]{0,80}\.)?\w{0,40}(?:Error|gaierror): .{0,300}No address associated with hostname/,
      /^(?:\w[\w.]{0,80}\.)?\w{1,40}Error: .{0,100}\[Errno 110\]/,
      /^(?:\w[\w.]{0,80}\.)?\w{1,40}Error: .{0,100}\[Errno 113\]/,
      /Cannot connect to host (?<host>\S{1,120})/,
      /Cannot connect to (?:amqp|redis)s?:\/\/(?:[^\s@]{0,120}@)?(?<host>[\w.:-]{1,100}).{0,60}: .{1,120}$/,
      /^curl: \((?:6|7|28|35|52|56)\) (?!Failed to connect to (?:localhost|127\.|0\.0\.0\.0|::1))/,
      /^(?:Connecting|Resolving) \S{1,120}.{0,80}failed: (?:Connection (?:timed out|refused)|Temporary failure in name resolution|Name or service not known)/,
      /^(?!.*\bprobe\b).*dial tcp:? (?:lookup )?(?<host>[\w.:-]{0,100}).{0,160}(?:no such host|connection refused|i\/o timeout|server misbehaving|network is unreachable|no route to host)/,
      /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>\S{1,100})/,
      /\b(?:connect|read) (?:ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH)\b/,
      /host not found in upstream "(?<host>[^"]{1,100})"/,
      ...texts(`httpx.ConnectError: All connection attempts failed; LocalEntryNotFoundError:;
        ServerSelectionTimeoutError:; NoBrokersAvailable; wget: unable to resolve host address;
        ConnectionError: ('Connection aborted.'; failed to connect to all addresses;
        APIConnectionError: Connection error; EndpointConnectionError: Could not connect to the endpoint URL;
        wget: can't connect to remote host; failed to lookup address information`),
      /^(?:\w[\w.]{0,80}\.)(?:ReadTimeout|ConnectTimeout|APITimeoutError)$/,
    ],
    // What somebody asks from outside is the app.
    applies: (_, __, before) =>
      !before()
        .slice(-2)
        .some((line) => /^\S{0,60}[$#] .{0,80}\bcurl /.test(line)),
    title: 'another host cannot be reached: {host}',
    fix: 'check its address: localhost is the container of the app itself, and a service of Compose has its name only there; if it is only busy, retry in the code',
  },
  {
    cause: 'service-quota-exceeded',
    rank: 5,
    signs: [
      /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Exception|Exhausted|Requests): .{0,100}\b429\b.{0,60}(?:Too Many Requests|RESOURCE_EXHAUSTED|quota|rate limit)/i,
      ...texts(`ThrottlingException; TooManyRequestsException; ResourceExhausted: 429`),
      /^(?:openai|anthropic|groq|cohere)\S{0,40}\.RateLimitError: /,
      ...texts(`insufficient_quota; exceeded your current quota`),
    ],
    title: 'another service that the app calls allows no more calls',
    fix: 'call it less often, retry after the time that it names, or raise the quota or the credit there',
  },
  {
    cause: 'certificate-invalid',
    rank: 3,
    signs: [
      /x509: certificate (?:signed by unknown authority|has expired|is valid for)/,
      /invalid peer certificate: \w{1,40}/,
      /certificate verify failed: self[- ]signed certificate/,
      /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Exception)\b.{0,300}CERTIFICATE_VERIFY_FAILED/,
      /SSL certificate problem: (?<problem>.{1,80})/,
      /(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?/,
      ...texts(`unable to get local issuer certificate; certificate has expired;
        server certificate verification failed; unable to verify the first certificate`),
    ],
    title: 'the certificate of another host is not trusted',
    fix: 'add the authority that signed it to the image (ca-certificates, and REQUESTS_CA_BUNDLE or NODE_EXTRA_CA_CERTS), or update an expired certificate',
  },
  {
    cause: 'download-failed',
    rank: 3,
    signs: [
      /[Ff]ailed to fetch .{0,80}https?:\/\/\S{1,300} - (?<status>[45]\d\d)\b/,
      /^curl: \(22\) The requested URL returned error: (?<status>\d{3})/,
      /\bERROR (?<status>4\d\d): /,
      /^urllib\.error\.HTTPError: HTTP Error (?<status>404|410|5\d\d)/,
      /^(?:requests\.exceptions\.)?HTTPError: (?<status>404|410) Client Error: .{0,40}for url: (?!https:\/\/huggingface\.co)/,
    ],
    title: 'an address that is downloaded answers with status {status}',
    fix: 'correct the address; a private one needs a login; if both are right, its server or a proxy refuses it: try again later',
  },
  {
    cause: 'service-access-denied',
    signs: [
      /^(?:openai|anthropic|cohere|groq|mistralai|redis|litellm)\S{0,40}\.AuthenticationError: /,
      /^(?:openai|anthropic|groq)\S{0,40}\.PermissionDeniedError: /,
      /^(?:requests\.exceptions\.|httpx\.)?(?:HTTPError|HTTPStatusError): (?:Client error ')?(?:401|403) (?:Client Error|Unauthorized|Forbidden).{0,40}for url:? (?!'?https:\/\/huggingface\.co)/,
      /^httpx\.HTTPStatusError: Client error '40[13] .{0,30}for url '(?!https:\/\/huggingface\.co)/,
      /An error occurred \((?:AccessDenied|403|Forbidden|InvalidToken|AllAccessDisabled|AuthFailure|UnrecognizedClientException|InvalidClientTokenId|ExpiredToken\w{0,10})\)/,
      ...texts(`NOAUTH Authentication required; WRONGPASS; InvalidClientTokenId; SignatureDoesNotMatch;
        InvalidAccessKeyId; ExpiredToken`),
    ],
    title: 'another service refuses the login of the app',
    fix: 'correct its key or password: gantry secrets set NAME',
  },
  {
    cause: 'network-failed',
    rank: 3,
    signs: [
      /^(?<service>openai|anthropic|groq|cohere|litellm)\S{0,40}\.InternalServerError: (?<problem>.{1,120})/,
      /^(?<service>google|openai|litellm|huggingface_hub)\S{0,60}\.ServiceUnavailable\w{0,8}: (?<problem>.{1,120})/,
      /HTTPError: (?<service>5\d\d) Server Error: (?<problem>.{1,120})/,
    ],
    title: 'another service that the app calls answers that it failed: {problem}',
    fix: 'look at that service; retry in the code, and answer with an error instead of ending',
  },
];
