import type { FailureRule } from '../rule.ts';

/** Other hosts that the app uses while it runs. */
export const networkRules: readonly FailureRule[] = [
  {
    cause: 'network-failed',
    rank: 2,
    signs: {
      NameResolutionError:
        /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|MaxRetryError|NameResolutionError): .{0,300}(?:NameResolutionError|Failed to resolve)/,
      'onnection refused':
        /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|URLError|ConnectError|ConnectionRefusedError|NewConnectionError|LocalEntryNotFoundError|APIConnectionError): .{0,300}[Cc]onnection refused/,
      'ConnectionRefusedError: ': /^ConnectionRefusedError: /,
      'Name or service not known':
        /^(?:\w[\w.]{0,80}\.)?(?:gaierror|URLError|ConnectError|ConnectionError): .{0,200}Name or service not known/,
      'Temporary failure in name resolution':
        /^(?:\w[\w.]{0,80}\.)?\w{0,40}(?:Error|gaierror): .{0,300}Temporary failure in name resolution/,
      'timed out':
        /^(?:\w[\w.]{0,80}\.)?(?:ReadTimeout|ConnectTimeout|Timeout|TimeoutError|ReadTimeoutError|APITimeoutError)(?:: .{0,200}timed out|$)/,
      'All connection attempts failed': /^httpx\.ConnectError: All connection attempts failed/,
      'Could not resolve host': /Could not resolve host: ?(?<host>[\w.-]{0,100})/,
      'cannot find the requested files in the local cache': /LocalEntryNotFoundError: .{0,200}/,
      LocalEntryNotFoundError: /LocalEntryNotFoundError: /,
    },
    title: 'another host cannot be reached',
    fix: 'check the address; if the host is only busy, retry in the code',
  },
  {
    cause: 'model-access-denied',
    rank: 4,
    signs: {
      GatedRepoError: /GatedRepoError: /,
      'huggingface.co':
        /\b40[134] Client Error.{0,200}https:\/\/huggingface\.co|Repository Not Found for url: https:\/\/huggingface\.co/,
      'gated repo': /You are trying to access a gated repo/,
      'Cannot access gated repo': /Cannot access gated repo/,
      'valid model identifier': /is not a (?:local folder and is not a )?valid model identifier/,
      RepositoryNotFoundError: /RepositoryNotFoundError: /,
      'Access to model': /Access to model \S{1,120} is restricted/,
    },
    title: 'the model does not exist, or needs a token that may read it',
    fix: 'accept its terms, and set a token as the secret HF_TOKEN',
    next: ['secrets', 'set', 'HF_TOKEN'],
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: {
      OperationalError:
        /OperationalError: .{0,300}(?:Connection refused|could not connect to server|could not translate host name|timeout expired|Can't connect to (?:local )?MySQL|Name or service not known|No route to host)/,
      'connecting to':
        /(?:^|[ .])(?:ConnectionError|TimeoutError): (?:Error \d{1,3} connecting to|Timeout connecting to) ?(?<host>[\w.-]{0,80})/,
      ServerSelectionTimeoutError: /ServerSelectionTimeoutError: /,
      NoBrokersAvailable: /NoBrokersAvailable/,
      ClientConnector: /^aiohttp\.\S{0,40}ClientConnector(?:DNS)?Error: /,
      'psql: error': /^psql: error: .{0,200}Connection refused$/,
      'Failed to connect to': /^curl: \((?:7|28)\) Failed to connect to (?<host>\S{1,100})/,
      'curl: (28)': /^curl: \(28\) /,
      'unable to resolve host address': /wget: unable to resolve host address/,
      "couldn't connect to": /We couldn't connect to 'https:\/\/huggingface\.co\/?'/,
      'Network is unreachable': /(?:Error|error).{0,200}Network is unreachable/,
    },
    title: 'another host cannot be reached',
    fix: 'check its address: localhost is the container of the app itself; if the host is only busy, retry in the code',
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: {
      'Max retries exceeded with url':
        /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Timeout|Exception): .{0,200}Max retries exceeded with url/,
      'onnection reset by peer': /Error(?:\(|: )?.{0,200}[Cc]onnection reset by peer/,
      'Connection aborted': /ConnectionError: \('Connection aborted\.'/,
      'Remote end closed':
        /(?:RemoteDisconnected|RemoteProtocolError|ConnectionError)\b.{0,120}(?:Remote end closed|Server disconnected)/,
      'RPC failed': /^(?:error|fatal): RPC failed/,
      'early EOF': /^fatal: (?:early EOF|fetch-pack)/,
      IncompleteRead: /^(?:\w[\w.]{0,80}\.)?(?:ProtocolError|ChunkedEncodingError): .{0,80}IncompleteRead/,
      'No address associated with hostname':
        /^(?:\w[\w.]{0,80}\.)?\w{0,40}(?:Error|gaierror): .{0,300}No address associated with hostname/,
      '[Errno 110]': /^(?:\w[\w.]{0,80}\.)?\w{1,40}Error: .{0,100}\[Errno 110\]/,
      '[Errno 113]': /^(?:\w[\w.]{0,80}\.)?\w{1,40}Error: .{0,100}\[Errno 113\]/,
      'failed to connect to all addresses': /failed to connect to all addresses/,
      'APIConnectionError: ': /APIConnectionError: Connection error/,
      'Could not connect to the endpoint URL': /EndpointConnectionError: Could not connect to the endpoint URL/,
      'annot connect to host': /Cannot connect to host \S{1,120}/,
      'Cannot connect to ': /Cannot connect to (?:amqp|redis)s?:\/\/\S{1,160}: .{1,120}$/,
      'remote host': /wget: can't connect to remote host/,
      'curl: (': /^curl: \((?:6|7|28|35|52|56)\) /,
      'failed: ':
        /^(?:Connecting|Resolving) \S{1,120}.{0,80}failed: (?:Connection (?:timed out|refused)|Temporary failure in name resolution|Name or service not known)/,
    },
    undoneBy: /Application startup complete|App is ready/,
    title: 'another host cannot be reached',
    fix: 'check its address; if it is only busy, retry in the code, or deploy again',
  },
  {
    cause: 'network-failed',
    rank: 4,
    signs: {
      'ProxyError(': /ProxyError\('(?:Cannot|Unable to) connect to proxy/,
      'Proxy Authentication Required': /407 Proxy Authentication Required/,
    },
    title: 'the proxy that the environment names cannot be reached, or refuses the login',
    fix: 'correct or remove HTTP_PROXY and HTTPS_PROXY, and list hosts that need no proxy in NO_PROXY',
  },
  {
    cause: 'service-quota-exceeded',
    rank: 3,
    signs: {
      '429':
        /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Exception|Exhausted|Requests): .{0,100}\b429\b.{0,60}(?:Too Many Requests|RESOURCE_EXHAUSTED|quota|rate limit)/i,
      ThrottlingException: /ThrottlingException/,
      TooManyRequestsException: /TooManyRequestsException/,
      'ResourceExhausted: ': /ResourceExhausted: 429/,
    },
    title: 'another service that the app calls allows no more calls',
    fix: 'call it less often, retry after the time that it names, or raise the quota there',
  },
  {
    cause: 'certificate-invalid',
    rank: 3,
    signs: {
      'unable to get local issuer certificate': /unable to get local issuer certificate/,
      'certificate has expired': /certificate has expired/,
      'x509: ': /x509: certificate (?:signed by unknown authority|has expired|is valid for)/,
      'invalid peer certificate': /invalid peer certificate: \w{1,40}/,
      'server certificate verification failed': /server certificate verification failed/,
      self: /certificate verify failed: self[- ]signed certificate/,
      CERTIFICATE_VERIFY_FAILED: /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|Exception)\b.{0,300}CERTIFICATE_VERIFY_FAILED/,
      'SSL certificate problem': /SSL certificate problem: (?<problem>.{1,80})/,
    },
    title: 'the certificate of another host is not trusted',
    fix: 'add the authority that signed it to the image (apt: ca-certificates), or update an expired certificate',
  },
  {
    cause: 'download-failed',
    rank: 3,
    signs: {
      'The requested URL returned error': /^curl: \(22\) The requested URL returned error: (?<status>\d{3})/,
      'ERROR 4': /\bERROR (?<status>4\d\d): /,
      'urllib.error.HTTPError: ': /^urllib\.error\.HTTPError: HTTP Error (?<status>404|410|5\d\d)/,
      'Client Error':
        /^(?:requests\.exceptions\.)?HTTPError: (?<status>404|410) Client Error: .{0,40}for url: (?!https:\/\/huggingface\.co)/,
    },
    title: 'an address that is downloaded answers with status {status}',
    fix: 'correct the address; a private one needs a login',
  },
  {
    cause: 'service-access-denied',
    rank: 4,
    signs: {
      AuthenticationError: /^(?:openai|anthropic|cohere|groq|mistralai|redis|litellm)\S{0,40}\.AuthenticationError: /,
      PermissionDeniedError: /^(?:openai|anthropic|groq)\S{0,40}\.PermissionDeniedError: /,
      'password authentication failed': /password authentication failed for user/,
      'Access denied for user': /Access denied for user '/,
      NOAUTH: /NOAUTH Authentication required/,
      WRONGPASS: /WRONGPASS /,
      InvalidClientTokenId: /InvalidClientTokenId/,
      SignatureDoesNotMatch: /SignatureDoesNotMatch/,
      InvalidAccessKeyId: /InvalidAccessKeyId/,
      ExpiredToken: /ExpiredToken/,
      AccessDenied: /^botocore\.exceptions\.ClientError: .{0,60}AccessDenied/,
      'Client Error':
        /^(?:requests\.exceptions\.|httpx\.)?(?:HTTPError|HTTPStatusError): (?:Client error ')?(?:401|403) (?:Client Error|Unauthorized|Forbidden).{0,40}for url:? (?!'?https:\/\/huggingface\.co)/,
      'Client error': /^httpx\.HTTPStatusError: Client error '40[13] .{0,30}for url '(?!https:\/\/huggingface\.co)/,
    },
    title: 'another service refuses the login of the app',
    fix: 'correct its key or password: gantry secrets set NAME',
  },
  {
    cause: 'service-quota-exceeded',
    rank: 5,
    signs: {
      insufficient_quota: /insufficient_quota/,
      'exceeded your current quota': /exceeded your current quota/,
      'RateLimitError: ': /^(?:openai|anthropic|groq|cohere)\S{0,40}\.RateLimitError: /,
    },
    title: 'another service that the app calls allows no more calls',
    fix: 'raise the quota or the credit at that service, or call it less often',
  },
];
