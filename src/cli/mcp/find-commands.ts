import { gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import { onceFor } from '../../kernel/once.ts';
import { namedCommand } from '../commands/index.ts';
import type { CommandReference } from '../reference.ts';

/** Words for a command that its help does not have. */
export const alsoCalled: Record<string, string> = {
  init: 'new start create begin template project scaffold example github actions ci gitlab workflow set continuous cron schedule cd starter',
  deploy:
    'publish release ship push current code would change preview plan online host branch diff difference local public private authentication setting upload new move region type anybody anyone without key disable auth only else',
  dev: 'local machine test before hot auto reload try own debug',
  invoke:
    'request endpoint http json predict inference send post try function input later wait async result query background long fire call app trigger token ping test model live curl queue poll stream output',
  map: 'thousand row document batch inputs jsonl csv bulk process prompt each every failed retry again',
  status:
    'health healthy down outage incident overview alive running platform machine many up live build broken ok ping progress version deployed serving',
  logs: 'error show output print tail stdout stderr live said last console message follow watch script see yesterday today week hour day install build wait finished run job',
  explain:
    'error crash debug cause stack trace diagnose why fail deployment broken happened wrong answer problem issue startup reason start container loop return',
  run: 'script job execute python gpu once train program remote eval',
  check: 'validate valid lint config configuration toml correct syntax package dependency mistake before needs typo',
  cp: 'upload download transfer file folder storage weights model trained huggingface result output local back dataset data pull fetch rename move get',
  sync: 'same mirror keep folder both rsync synchronize code',
  ls: 'file storage bucket folder disk browse volume list contain inside stored exist content',
  cat: 'content read text print show',
  rm: 'delete file folder storage old clear free empty bucket volume',
  'volumes usage': 'disk space size du big large full storage left each folder',
  'volumes verify': 'checksum intact corrupt integrity same model complete upload damaged',
  'volumes resize': 'increase extend more bigger disk space gb larger make',
  'apps get': 'settings gpu hardware memory cpu details describe region url address link show setting',
  'apps containers': 'machine alive start many running crash',
  'apps scale':
    'warm always keep machine replica zero autoscale concurrency idle sure traffic handle load more cooldown maximum minimum increase lower parallel stop pause off sleep timeout allow per limit cold reduce number time night',
  'apps restart': 'reload secret redeploy fresh read pick current refresh new load changed variable running',
  'apps bench':
    'load test stress benchmark throughput performance second requests capacity many user same time concurrent simultaneous take handle per',
  'apps tune': 'save cost cheap cheapest gpu best optimize recommend latency cold start reduce cheaper pay less',
  'apps prune': 'clean cleanup preview merged branch pull request old environment',
  'apps list': 'running deployed all',
  'apps delete': 'rid undeploy application good offline down shut throw stop service tear',
  history: 'version deployed who yesterday changed past audit last week commit build today hour day deploys',
  rollback: 'roll last previous version revert undo go back release broke earlier wrong bad',
  promote: 'production prod move out tested same stage copy clone duplicate another name',
  'builds get': 'detail one single',
  'builds compare': 'change between slow fast new old regression worse difference today yesterday',
  'builds cancel': 'stop hang deployment pause stuck rid',
  'runs cancel': 'running stop job call long request end hang inference',
  'runs get':
    'exit code job program succeed finished answer result old call async one single detail returned request output fetch status',
  'runs list':
    'request job call running failed recent last today took slow longest second error returned timed timeout find yesterday week hour day',
  'runs chart':
    'graph plot minute hour number time traffic many today rate per requests over day second yesterday last week latency percentile p95 p50 response',
  'runs export': 'spreadsheet csv excel download request all data dump',
  cost: 'price month week expensive wasted reduce pay much per hour yesterday today last day idle',
  metrics:
    'slow gpu cpu memory utilization usage latency percentile monitor why cold start startup container p95 p50 response ram app average mean much rate over day yesterday today last week hour live watch',
  'metrics serve': 'grafana prometheus dashboard scrape',
  'secrets set':
    'environment variable env credential store token key password app read save value rotate renew replace update change edit another',
  'secrets unset': 'delete password variable environment token key turn off set',
  'webhooks listen': 'receive localhost callback tunnel local wait',
  'projects use': 'switch change another workspace staging',
  'users invite': 'add teammate member colleague access email someone person admin',
  'users list': 'team member who access else invitation people pending',
  'service-accounts grant': 'allow access permission ci another bot let',
  'plan set': 'upgrade downgrade subscription tier cancel',
  'plan payment-methods': 'card credit pay another',
  whoami: 'account user logged signed am login check token valid project current gantry who',
  login: 'sign authenticate browser log account another out',
  'config set': 'default region',
  doctor: 'install broken problem connection proxy setup environment work network',
  'emulator start': 'simulate offline local platform fake mock',
  'emulator exec': 'simulate offline local platform test',
  'api-keys list': 'api token key credential delete rotate renew replace',
  'secrets list': 'which app see environment variable env password set value',
  open: 'dashboard browser page web console',
  'service-accounts revoke': 'bot remove take away',
  'config profiles': 'account another',
  'projects list': 'show all id',
  'service-accounts list': 'bot exist',
  'builds list': 'progress recent deployed last week',
  'config list': 'settings stored show file configuration',
  'emulator list': 'running',
};

const sameWords = [
  'delete remove erase drop wipe destroy',
  'folder directory directories',
  'local locally laptop computer',
  'cost money spend bill',
  'increase raise grow',
  'container replica instance',
  'restart reboot bounce',
  'request invocation',
  'environment env',
  'error exception traceback',
  'async asynchronous',
  'cancel abort kill terminate interrupt',
  'max maximum',
  'min minimum',
];

/** Words that say nothing of what is wanted. */
const idle = new Set(
  'a an and are at be by can did do does for from has have how i if in into is it its me my of on or please so some that the their there this to too use was we were what when where which will with you your now right no longer not need give still already yet currently everything anything something'.split(
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
  const described = commands.map((command) => ({
    command,
    weights: onceFor(countsOf, command, () => weightsOf(command)),
  }));
  // Half a mention is one in the text of a flag.
  const mentions = (word: string) =>
    described.reduce((sum, { weights }) => sum + Math.min(1, weights.get(word) ?? 0), 0);
  const asked = [...new Set(stemsOf(query))].map((word) => ({
    word,
    rarity: Math.log((1 + commands.length) / mentions(word)),
  }));
  const scored = described.map(({ command, weights }) => ({
    command,
    score: asked.reduce(
      (sum, { word, rarity }) => sum + (weights.has(word) ? (weights.get(word) ?? 0) * rarity : 0),
      0,
    ),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

/** Where to read about what somebody means who typed these words; undefined if nothing has to do with them. */
export function helpAbout(words: string, commands: readonly CommandReference[]): Sentence | undefined {
  const [first, ...others] = findCommands(words, commands).slice(0, 3);
  const more = others.map(({ command }) => `, ${command}`).join('');
  return first && sentence`see ${gantryCommand`help ${first.command.split(' ')}`}${more}`;
}

const countsOf = new WeakMap<CommandReference, Map<string, number>>();

function weightsOf({ command, summary, details, flags }: CommandReference): Map<string, number> {
  const places: [weight: number, text: string][] = [
    [0.3, [...details, ...flags.map((flag) => `${flag.flags} ${flag.description}`)].join(' ')],
    [2, summary],
    [3, alsoCalled[command] ?? ''],
    [4, command],
  ];
  return new Map(places.flatMap(([weight, text]) => stemsOf(text).map((word): [string, number] => [word, weight])));
}

/** The stems of words, by their first meaning: `deploying` and `deploys` are `deploy`, `files` is `file`. */
function stemsOf(text: string): string[] {
  const typed = text.toLowerCase().match(/[a-z][a-z\d-]*/g) ?? [];
  // `roll back` and `log in` are commands.
  const words = [...typed, ...typed.map((word, at) => `${word}${typed[at + 1]}`).filter((pair) => namedCommand(pair))];
  return words.filter((word) => !idle.has(word)).map((word) => meanings.get(stemOf(word)) ?? stemOf(word));
}

/** What was deployed, or is running, is asked about: that is not to deploy, or to run. */
function stemOf(word: string): string {
  if (/^((deploy|logg|sign|chang|happen)ed|running)$/.test(word)) return word;
  return word.replace(/(?<=..)([bgmnpt])\1(?=(ing|ed)$)/, '$1').replace(/(?<=...)(ing|ed|es|s|e)$/, '');
}
