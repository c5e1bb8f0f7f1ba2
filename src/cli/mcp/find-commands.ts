import type { CommandReference } from '../reference.ts';

/** Words for a command that its help does not have. */
export const alsoCalled: Record<string, string> = {
  deploy: 'publish release ship push upload directory current code',
  dev: 'local machine test try before',
  invoke: 'request endpoint http json predict inference send post',
  status: 'health down outage incident overview alive running platform',
  logs: 'error show output print tail stdout stderr live stream',
  explain: 'error crash debug cause traceback stack trace exception diagnose why fail deployment',
  run: 'script job execute python gpu once train',
  check: 'validate lint config configuration toml correct right',
  map: 'thousand row batch inputs jsonl csv bulk many process prompt',
  cp: 'upload download transfer file folder storage bucket weights model hugging face huggingface',
  ls: 'file storage bucket directory',
  rm: 'delete remove file directory storage old',
  'volumes usage': 'disk space size du big large',
  'apps list': 'which running',
  'apps scale': 'warm always keep machine replica zero autoscale concurrency instance idle',
  'apps restart': 'reboot reload secret redeploy',
  'apps bench': 'load test stress benchmark throughput performance',
  'apps tune': 'save money cheap gpu best settings',
  'apps delete': 'remove rid undeploy destroy application',
  history: 'which version deployed when who',
  rollback: 'last previous version revert undo go back',
  promote: 'staging production',
  'builds compare': 'change between deploys versions',
  'builds cancel': 'stop hang abort deployment',
  'runs cancel': 'stop abort kill job running',
  'runs get': 'answer result old call async',
  'runs list': 'request job call failed',
  cost: 'spend money bill price billing month expensive',
  metrics: 'slow gpu cpu memory utilization usage latency percentile monitor',
  'secrets set': 'environment variable env credential store token',
  'secrets list': 'environment variable env name',
  'users invite': 'add teammate member colleague give access',
  'users list': 'team member who access',
  'config set': 'default region',
  'plan invoices': 'bill receipt download payment',
  whoami: 'account user logged',
};

const idle = new Set(
  'a am an and are at be did do for from how i if in is it its my of on or so the their this to up was we were what why with'.split(
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

/** `deploying` and `deploys` are `deploy`. */
function stemsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z][a-z\d-]*/g) ?? [];
  return words.filter((word) => !idle.has(word)).map((word) => word.replace(/(?<=...)(ing|ed|s|e)$/, ''));
}
