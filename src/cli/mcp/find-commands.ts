import type { CommandReference } from '../reference.ts';

/** Words for a command that its help does not have. */
export const alsoCalled: Record<string, string> = {
  init: 'new start create begin template project',
  deploy: 'publish release ship push upload directory current code would change preview plan',
  dev: 'local machine test before hot reload try locally',
  invoke: 'request endpoint http json predict inference send post try function input later wait async result',
  map: 'thousand row batch inputs jsonl csv bulk process prompt each',
  status: 'health healthy down outage incident overview alive running platform machine many ok',
  logs: 'error show output print tail stdout stderr live stream said last',
  explain:
    'error crash debug cause traceback stack trace exception diagnose why fail deployment broken 500 happened wrong answer failing',
  run: 'script job execute python gpu once train program',
  check: 'validate lint config configuration toml correct right syntax package wrong dependency mistake before',
  cp: 'upload download transfer file folder storage bucket weights model hugging face huggingface result laptop back dataset data put rename move',
  sync: 'same mirror keep folder directory both',
  ls: 'file storage bucket directory disk on browse',
  cat: 'content read text print show',
  rm: 'delete remove file directory storage old',
  'volumes usage': 'disk space size du big large full storage left',
  'volumes verify': 'checksum intact corrupt integrity same',
  'volumes resize': 'grow extend more bigger disk space increase',
  'apps list': 'which exist',
  'apps get': 'which settings gpu hardware memory cpu details of describe region where',
  'apps containers': 'replica instance machine alive start',
  'apps scale':
    'warm always keep machine replica zero autoscale concurrency instance idle sure traffic handle load more',
  'apps restart': 'reboot reload secret redeploy',
  'apps bench': 'load test stress benchmark throughput performance',
  'apps tune': 'save money cheap gpu best settings optimize recommend latency',
  'apps prune': 'clean cleanup preview merged branch pull request old',
  'apps delete': 'remove rid undeploy destroy application good',
  history: 'which version deployed when who yesterday changed past audit last week did',
  rollback: 'last previous version revert undo go back release broke',
  promote: 'staging production move roll',
  'builds list': 'which deploys past',
  'builds get': 'detail of one single',
  'builds compare': 'change between deploys versions slow fast new old regression worse',
  'builds cancel': 'stop hang abort deployment pause',
  'runs cancel': 'stop abort kill job running call long request',
  'runs get': 'answer result old call async one single detail',
  'runs list': 'request job call failed wrong recent hour',
  'runs chart': 'graph plot minute time traffic many today',
  'runs export': 'spreadsheet csv excel download request all',
  cost: 'spend money bill price billing month expensive wasted how reduce',
  metrics: 'slow gpu cpu memory utilization usage latency percentile monitor why',
  'metrics serve': 'grafana prometheus dashboard scrape',
  'secrets set': 'environment variable env credential store token api key password app read save',
  'secrets list': 'environment variable env name',
  'secrets unset': 'delete remove password variable environment token key turn off set',
  'webhooks listen': 'receive localhost callback tunnel local',
  'webhooks replay': 'callback again repeat redeliver',
  'projects use': 'switch change another workspace',
  'users invite': 'add teammate member colleague give access',
  'users list': 'team member who access else can invitation',
  'service-accounts grant': 'give allow access permission ci another right',
  'service-accounts revoke': 'take away remove permission access right',
  'api-keys list': 'token credential',
  'plan set': 'upgrade downgrade subscription tier',
  'plan payment-methods': 'card credit pay',
  'plan invoices': 'bill receipt download payment',
  whoami: 'account user logged signed in am login check',
  'config set': 'default region',
  doctor: 'install broken problem connection proxy setup environment work network',
  open: 'browser web page dashboard site url',
  api: 'raw request rest curl http platform',
  'emulator start': 'simulate offline local platform fake mock',
  'emulator exec': 'simulate offline local platform test',
};

/** Words that say nothing of what is wanted. */
const idle = new Set(
  'a am an and are at be by can did do does for from has have how i if in into is it its me my of on or please so some that the their there this to too up use was we were what when where which will with would you your now right'.split(
    ' ',
  ),
);

/** The commands that have to do with the words, the closest first. A word that few commands have says more. */
export function findCommands(query: string, commands: readonly CommandReference[]): CommandReference[] {
  const described = commands.map((command) => ({ command, weights: weightsOf(command) }));
  const rarity = (word: string) =>
    Math.log((1 + commands.length) / described.filter(({ weights }) => weights.has(word)).length);
  const scored = described.map(({ command, weights }) => ({
    command,
    score: stemsOf(query).reduce(
      (sum, word) => sum + (weights.has(word) ? (weights.get(word) ?? 0) * rarity(word) : 0),
      0,
    ),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => command);
}

function weightsOf({ command, summary, details, flags }: CommandReference): Map<string, number> {
  const places: [weight: number, text: string][] = [
    [0.5, [...details, ...flags.map((flag) => `${flag.flags} ${flag.description}`)].join(' ')],
    [2, summary],
    [3, alsoCalled[command] ?? ''],
    [4, command],
  ];
  return new Map(places.flatMap(([weight, text]) => stemsOf(text).map((word): [string, number] => [word, weight])));
}

/** `deploying` and `deploys` are `deploy`, `files` is `file`, and `running` is `run`. */
function stemsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z][a-z\d-]*/g) ?? [];
  return words
    .filter((word) => !idle.has(word))
    .map((word) => word.replace(/(?<=..)([bgmnpt])\1(?=(ing|ed)$)/, '$1').replace(/(?<=...)(ing|ed|es|s|e)$/, ''));
}
