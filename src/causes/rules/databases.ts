import { type FailureRule, rows, rowsWith } from '../rule.ts';

/** Databases: files, schemas and connections. Other hosts that the app uses while it runs. */
export const databaseRules: readonly FailureRule[] = [
  ...rowsWith({ after: /advertised\.(?:host\.name|listeners) ?= ?.{0,20}(?:localhost|127\.0\.0\.1)/ })`
3 network-failed | NoBrokersAvailable | Kafka tells its clients that its address is localhost, where others do not find it | set KAFKA_ADVERTISED_LISTENERS (advertised.listeners) to the name of its service
`,
  ...rows`
5 network-failed | /Connection to node \d{1,6} \((?:localhost)?\/127\.0\.0\.1:/ | Kafka tells its clients that its address is localhost, where others do not find it | set KAFKA_ADVERTISED_LISTENERS (advertised.listeners) to the name of its service
5 network-failed | Error accepting a client connection: error:…wrong version number; ERR Bad TLS header | Redis speaks TLS on this port, and the client does not | write rediss:// in the address (ssl=True), or let Redis listen without TLS too
5 network-failed | error reading server preface: http2:; http2: frame too large; Trying to connect an http1.x server | the client speaks gRPC to a port of HTTP, or without TLS to one with it | write the port of gRPC in the address (6334 of Qdrant, 4317 of OpenTelemetry), and TLS on both sides or on none
5 service-access-denied | Authentication plugin 'caching_sha2_password' cannot be loaded; Authentication plugin 'caching_sha2_password' is not supported; ER_NOT_SUPPORTED_AUTH_MODE; Client does not support authentication protocol; The server requested authentication method unknown to the client | the client library of the database is too old for the logins of MySQL 8 | update it (mysql2 for Node), or let the user log in the old way: ALTER USER ... IDENTIFIED WITH mysql_native_password
5 service-access-denied | Authentication method 'caching_sha2_password' failed; Public Key Retrieval is not allowed; Authentication requires secure connection | the login of MySQL 8 needs TLS, or the public key of the server | connect with TLS, or write allowPublicKeyRetrieval=true in the address
5 service-access-denied | CLIENT_PLUGIN_AUTH is required | the driver of MySQL is newer than the server, or a proxy before it, can talk to | use an older driver (Connector/J 5.1), or update the server
6 service-access-denied | (RequestTimeTooSkewed); (InvalidSignatureException)…Signature {expired|not yet current}; Signature expired: {said…} is now earlier than; Token used too early | the clock of the machine is wrong, so that another service refuses what it signs | set the clock (NTP; restart the virtual machine of Docker)
5 service-access-denied | PERMISSION_DENIED: The caller does not have permission; Permission '{permission}' denied on resource; is not authorized to perform: {permission} on resource; is not authorized to perform: {permission} because; does not have {permission} access to the Google Cloud; does not have authorization to perform action '{permission}'; (AccessDenied) when calling the {permission} operation | the role of the app at its cloud does not allow the call: {permission} | give a role with that permission to the account whose credentials the app uses
`,
  ...rows`
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
3 database-schema-missing | OperationalError{|)}{|:} …no such table: {name}; {UndefinedTable|UndefinedColumn|ProgrammingError|UndefinedTableError}{|)}{|:} …{relation|column} {|"}{name}{|"} …does not exist; ProgrammingError{|)}{|:} …Table '{name}' doesn't exist;
  OperationalError{|)}{|:} …no such column: {name}; {ERROR|Error|error}:…relation "{name}" does not exist; The table \`{name}\` does not exist in the current database
  | the database has no {name} | run the migrations before the server starts, as in alembic upgrade head or python manage.py migrate
network-failed | /could not translate host name "(?<host>[^"]{0,100}(?:\/\/|:\d)[^"]{0,100})"/; /Error -?\d{1,4} connecting to (?<host>[a-z]{2,10}:\/\/\S{1,100}):\d{1,5}\b/; /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[^\s:]{1,80}(?:\/\/|:\d|:\/)\S{0,80})/; Unknown {|MySQL }server host '{host}';
  host='{host=http|https}', port=; address {host}: too many colons in address
  | more than the name of a host stands where only that belongs: {host} | give the name without scheme, port and path, which have settings of their own; a whole address belongs where the code takes one, as in redis.from_url
2 network-failed | Error 111 connecting to {host}. Connection refused; connection to server at "{host}"…{Connection refused|connection refused|timeout expired}; Connect call failed ('{host}'; could not translate host name "{host}" to address;
  /^(?!.{0,200}(?:attempt \d|[Rr]etry)).{0,200}(?:OperationalError|connection to server at|[Cc]ould not connect|[Cc]annot connect|[Cc]an't connect|Connect call failed|failed to connect|Error 111 connecting).{0,300}(?:[Cc]onnection refused|ECONNREFUSED)/;
  /(?:connect|connecting to \S{1,80}) ECONNREFUSED(?: (?<host>[\w.:-]{1,80}))?/; /Can't connect to (?:local )?(?:MySQL|MariaDB) server(?: on '(?<host>[^']{1,80})')?/; {U|u}nable to connect to {|the }database; tcp connect ({host}): {connection refused|non-existing domain};
  FATAL:…the database system is {starting up|shutting down}; server closed the connection unexpectedly; SSL connection has been closed unexpectedly; Lost connection to MySQL server
  | the database or another service cannot be reached: {host} | check its address: localhost is the container of the app itself, and a service of Compose has its name only there; wait until it accepts connections (a health check)
`,
  ...rowsWith({
    applies: (_, __, before) =>
      !before()
        .slice(-2)
        .some((line) => /^\S{0,60}[$#] .{0,80}\bcurl /.test(line)),
  })`
2 network-failed | ^ConnectionRefusedError: ; /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|MaxRetryError|NameResolutionError): .{0,300}(?:NameResolutionError|Failed to resolve)/; {ConnectionError|URLError|ConnectError|ConnectionRefusedError|NewConnectionError|LocalEntryNotFoundError|APIConnectionError}: …{C|c}onnection refused;
  {gaierror|URLError|ConnectError|ConnectionError}: …Name or service not known; {Error|gaierror}: …Temporary failure in name resolution;
  /^(?:\w[\w.]{0,80}\.)?(?:ReadTimeout|ConnectTimeout|Timeout|TimeoutError|ReadTimeoutError|APITimeoutError)(?:: (?:.{0,80}host='(?<host>[^']{1,80})')?.{0,200}timed out|$)/; Could not resolve host:{| }{host}; ^aiohttp.…ClientConnector{|DNS}Error:; We couldn't connect to 'https://huggingface.co{|/}';
  {Error|error}…Network is unreachable; /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Timeout|Exception): (?:.{0,80}host='(?<host>[^']{1,80})')?.{0,200}Max retries exceeded with url/; Error{|(|: }…{C|c}onnection reset by peer;
  /(?:RemoteDisconnected|RemoteProtocolError|ConnectionError)\b.{0,120}(?:Remote end closed|Server disconnected)/; ^{error|fatal}: RPC failed; /^fatal: (?:early EOF|fetch-pack)/; {Error|gaierror}: …No address associated with hostname; Cannot connect to host {host};
  /Cannot connect to (?:amqp|redis)s?:\/\/(?:[^\s@]{0,120}@)?(?<host>[\w.:-]{1,100}).{0,60}: .{1,120}$/; /^curl: \((?:6|7|28|35|52|56)\) (?!Failed to connect to (?:localhost|127\.|0\.0\.0\.0|::1))/;
  /^(?:Connecting|Resolving) \S{1,120}.{0,80}failed: (?:Connection (?:timed out|refused)|Temporary failure in name resolution|Name or service not known)/; getaddrinfo {ENOTFOUND|EAI_AGAIN} {host}; /\b(?:connect|read) (?:ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH)\b/;
  host not found in upstream "{host}"; httpx.ConnectError: All connection attempts failed; LocalEntryNotFoundError:; ServerSelectionTimeoutError:; NoBrokersAvailable; wget: unable to resolve host address; ConnectionError: ('Connection aborted.'; failed to connect to all addresses;
  APIConnectionError: Connection error; EndpointConnectionError: Could not connect to the endpoint URL; wget: can't connect to remote host; failed to lookup address information
  | another host cannot be reached: {host} | check its address: localhost is the container of the app itself, and a service of Compose has its name only there; if it is only busy, retry in the code
`,
  ...rows`
5 service-quota-exceeded | /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Exception|Exhausted|Requests): .{0,100}\b429\b.{0,60}(?:Too Many Requests|RESOURCE_EXHAUSTED|quota|rate limit)/i; ThrottlingException; TooManyRequestsException; ResourceExhausted: 429; exceeded your current quota | another service that the app calls allows no more calls | call it less often, retry after the time that it names, or raise the quota or the credit there
3 certificate-invalid | x509: certificate {signed by unknown authority|has expired|is valid for}; certificate verify failed: self…signed certificate; SSL certificate problem: {problem…}; SELF_SIGNED_CERT; unable to get local issuer certificate; certificate has expired;
  server certificate verification failed; unable to verify the first certificate
  | the certificate of another host is not trusted | add the authority that signed it to the image (ca-certificates, and REQUESTS_CA_BUNDLE or NODE_EXTRA_CA_CERTS), or update an expired certificate
3 download-failed | {F|f}ailed to fetch …http{|s}://… - {status}; ^curl: (22) The requested URL returned error: {status}; /\bERROR (?<status>4\d\d): /; ^urllib.error.HTTPError: HTTP Error {status};
  /^(?:requests\.exceptions\.)?HTTPError: (?<status>404|410) Client Error: .{0,40}for url: (?!https:\/\/huggingface\.co)/
  | an address that is downloaded answers with status {status} | correct the address; a private one needs a login; if both are right, its server or a proxy refuses it: try again later
service-access-denied | ^{openai|anthropic|cohere|groq|mistralai|redis|litellm}….AuthenticationError:; ^{openai|anthropic|groq}….PermissionDeniedError:;
  /^(?:requests\.exceptions\.|httpx\.)?(?:HTTPError|HTTPStatusError): (?:Client error ')?(?:401|403) (?:Client Error|Unauthorized|Forbidden).{0,40}for url:? (?!'?https:\/\/huggingface\.co)/;
  /An error occurred \((?:AccessDenied|403|Forbidden|InvalidToken|AllAccessDisabled|AuthFailure|UnrecognizedClientException|InvalidClientTokenId|ExpiredToken\w{0,10})\)/; WRONGPASS; SignatureDoesNotMatch; InvalidAccessKeyId; ExpiredToken
  | another service refuses the login of the app | correct its key or password: gantry secrets set NAME
3 network-failed | ^{service=openai|anthropic|groq|cohere|litellm}….InternalServerError: {problem…}; ^{service=google|openai|litellm|huggingface_hub}….ServiceUnavailable…: {problem…}; HTTPError: {service} Server Error: {problem…} | another service that the app calls answers that it failed: {problem} | look at that service; retry in the code, and answer with an error instead of ending
`,
];
