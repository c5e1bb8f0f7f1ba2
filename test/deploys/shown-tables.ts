import {
  type BeforeStep,
  beforeTable,
  type Health,
  healthTable,
  type ReadyStep,
  type Rows,
  readyTable,
} from '../../src/deploys/decide.ts';

const titles: Record<string, string> = {
  others: 'other builds:',
  ifBusy: '`--if-busy`',
  serving: 'serving:',
  compares: 'compared with the app:',
  ifChanged: '`--if-changed`:',
  plan: 'plan:',
  commit: 'commit:',
  difference: 'files and settings:',
  health: 'health:',
  verifies: '`--watch`, `--smoke`:',
  time: 'time:',
  orRollback: '`--or-rollback`:',
  shows: 'the app shows:',
  replicas: 'replicas:',
  smoke: '`--smoke`:',
  calls: 'calls:',
  status: 'status of the app:',
};

const before: Record<BeforeStep, string> = {
  'cancel others': 'cancel them',
  'wait for others': 'wait for them',
  'wait for the app': 'wait, a minute at most',
  'stop: others': 'exit 7',
  'stop: not as planned': 'exit 7',
  'stop: older': 'exit 7',
  'stop: unchanged': 'exit 0: unchanged',
  verify: 'verify what serves',
  send: 'send',
};
const ready: Record<ReadyStep, string> = {
  'roll back': 'roll back, exit 12',
  'stop: live': 'exit 0: live',
  'stop: healthy': 'exit 0: healthy',
  'stop: replaced': 'exit 0: replaced',
  'stop: replaced, not verified': 'exit 7',
  'stop: not shown': 'exit 8',
  'stop: sick': 'exit 12',
  'stop: not known': 'exit 8',
};

/** The tables of decisions as docs/deploying.md shows them. */
export const shownTables = [
  tableText(beforeTable, (step) => before[step]),
  tableText(readyTable, (step) => ready[step]),
  tableText(healthTable, ({ finding }: Health) => finding),
];

function tableText<Facts, Result>(rows: Rows<Facts, Result>, resultText: (result: Result) => string): string {
  const lines = rows.map(([pattern, result]) => {
    const facts = Object.entries(pattern).map(([name, words]) => `${titles[name]} ${[words].flat().join(', ')}`);
    return `| ${facts.join('; ') || 'else'} | ${resultText(result)} |`;
  });
  return ['| if | then |', '| --- | --- |', ...lines].join('\n');
}
