import { gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import type { CommandReference } from '../reference.ts';

/** Words for a command that its help does not have. */
export const alsoCalled: Record<string, string> = {
  init: 'new start create begin template project scaffold example github actions ci gitlab workflow',
  deploy: 'publish release ship push current code would change preview plan online host branch',
  dev: 'local machine test before hot auto reload try own debug',
  invoke:
    'request endpoint http json predict inference send post try function input later wait async result query background long fire call app',
  map: 'thousand row batch inputs jsonl csv bulk process prompt each every failed retry again',
  status: 'health healthy down outage incident overview alive running platform machine many up live build',
  logs: 'error show output print tail stdout stderr live stream said last console message',
  explain:
    'error crash debug cause traceback stack trace exception diagnose why fail deployment broken 500 happened wrong answer failing problem issue startup',
  run: 'script job execute python gpu once train program remote eval',
  check:
    'validate valid lint config configuration toml correct right syntax package dependency mistake before need needs typo',
  cp: 'upload download transfer file folder storage weights model trained training huggingface result output local back dataset data pull fetch rename move get',
  sync: 'same mirror keep folder both rsync synchronize',
  ls: 'file storage bucket folder disk on browse volume list contain',
  cat: 'content read text print show',
  rm: 'delete file folder storage old clear free',
  'volumes usage': 'disk space size du big large full storage left each folder',
  'volumes verify': 'checksum intact corrupt integrity same still model',
  'volumes resize': 'increase extend more bigger disk space',
  'apps get': 'settings gpu hardware memory cpu details of describe region where url address',
  'apps containers': 'replica instance machine alive start',
  'apps scale':
    'warm always keep machine replica zero autoscale concurrency instance idle sure traffic handle load more cooldown maximum minimum max min increase lower parallel',
  'apps restart': 'reboot reload secret redeploy fresh',
  'apps bench': 'load test stress benchmark throughput performance second requests capacity',
  'apps tune': 'save cost cheap cheapest gpu best optimize recommend latency',
  'apps prune': 'clean cleanup preview merged branch pull request old environment',
  'apps list': 'running deployed which all',
  'apps delete': 'rid undeploy application good offline down shut throw',
  history: 'version deployed when who yesterday changed past audit last week commit live build',
  rollback: 'last previous version revert undo go back release broke earlier',
  promote: 'production prod move roll tested',
  'builds get': 'detail of one single',
  'builds compare': 'change between slow fast new old regression worse difference',
  'builds cancel': 'stop hang abort deployment pause',
  'runs cancel': 'stop abort kill job running call long request end hang',
  'runs get': 'answer result old call async one single detail returned request',
  'runs list': 'request job call failed recent last today longer took slow second',
  'runs chart': 'graph plot minute hour number time traffic many today',
  'runs export': 'spreadsheet csv excel download request',
  cost: 'price billing month week expensive wasted reduce pay',
  metrics:
    'slow gpu cpu memory utilization usage latency percentile monitor why cold start startup container p95 p50 response ram app',
  'metrics serve': 'grafana prometheus dashboard scrape',
  'secrets set': 'environment variable env credential store token api key password app read save value create',
  'secrets unset': 'delete password variable environment token key turn off set',
  'webhooks listen': 'receive localhost callback tunnel local wait',
  'webhooks replay': 'callback again repeat redeliver',
  'projects use': 'switch change another workspace staging',
  'users invite': 'add teammate member colleague give access email someone',
  'users list': 'team member who access else can invitation people pending',
  'service-accounts grant': 'give allow access permission ci another right',
  'plan set': 'upgrade downgrade subscription tier',
  'plan payment-methods': 'card credit pay another',
  whoami: 'account user logged signed in am login check token valid project current gantry who',
  login: 'sign authenticate browser',
  'config set': 'default region',
  doctor: 'install broken problem connection proxy setup environment work network',
  'emulator start': 'simulate offline local platform fake mock',
  'emulator exec': 'simulate offline local platform test',
};

const sameWords = [
  'delete remove erase drop wipe destroy',
  'folder directory',
  'local locally laptop computer',
  'cost money spend bill',
  'increase raise grow',
];

/** Words that say nothing of what is wanted. */
const idle = new Set(
  'a am an and are at be by can did do does for from has have how i if in into is it its me my of on or please so some that the their there this to too up use was we were what when where which will with would you your now right'.split(
    ' ',
  ),
);

const meanings = new Map(
  sameWords
    .map((line) => line.split(' ').map(stemOf))
    .flatMap((stems) => stems.map((stem) => [stem, stems[0] ?? stem])),
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

/** Where to read about what somebody means who typed these words; undefined if nothing has to do with them. */
export function helpAbout(words: string, commands: readonly CommandReference[]): Sentence | undefined {
  const [first, ...others] = findCommands(words, commands).slice(0, 3);
  const more = others.map(({ command }) => `, ${command}`).join('');
  return first && sentence`see ${gantryCommand`help ${first.command.split(' ')}`}${more}`;
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

/** By its first meaning: `deploying` and `deploys` are `deploy`, `files` is `file`, and `running` is `run`. */
function stemsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z][a-z\d-]*/g) ?? [];
  return words.filter((word) => !idle.has(word)).map((word) => meanings.get(stemOf(word)) ?? stemOf(word));
}

/** What was deployed, or is logged in, is asked about: that is not to deploy, or to log in. */
function stemOf(word: string): string {
  if (/^(deploy|logg|sign)ed$/.test(word)) return word;
  return word.replace(/(?<=..)([bgmnpt])\1(?=(ing|ed)$)/, '$1').replace(/(?<=...)(ing|ed|es|s|e)$/, '');
}
