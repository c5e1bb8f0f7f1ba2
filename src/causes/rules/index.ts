import type { FailureRule } from '../rule.ts';
import { condaRules } from './conda.ts';
import { databaseRules } from './databases.ts';
import { fileRules } from './files.ts';
import { gpuRules } from './gpu.ts';
import { imageRules } from './images.ts';
import { importRules } from './imports.ts';
import { lockFileRules } from './lock-files.ts';
import { messageRules, toolMessageRules } from './messages.ts';
import { modelRules } from './models.ts';
import { packageBuildRules } from './package-builds.ts';
import { packageRules } from './packages.ts';
import { processRules } from './processes.ts';
import { pythonRules } from './python.ts';
import { serverRules } from './servers.ts';
import { settingRules } from './settings.ts';
import { shipmentRules } from './shipment.ts';
import { systemRules } from './system.ts';
import { versionRules } from './versions.ts';

/** What a line looks like when the packages are installed after all, or the server of the app runs. */
const installed = /^Successfully installed |^Installed \d+ packages? in /;
const went =
  /^\s*Downloading \S|^Successfully installed |^Installed \d+ packages? in |Application startup complete|App is ready/;
const started =
  /Application startup complete|App is ready|^Compiled successfully|Tomcat started on port|\bStarted \w{1,60} in [\d.]{1,8} s|successfully started|celery@\S{1,80} ready|\b(?:mongo\w{0,8}|redis|postgres\w{0,4}|mysql|database|db)\b.{0,20}(?<!\b(?:not|no) )\b(?:connected|available)\b|\bNo migrations to apply|(?<!\bnot )\bconnected to (?:the )?(?:[a-z]{2,12}:\/\/|mongo|redis|postgres|mysql|database|db)/i;

export const rules: readonly FailureRule[] = [
  ...unless(installed, [...packageRules, ...packageBuildRules, ...lockFileRules]),
  ...unless(started, [...importRules, ...databaseRules, ...messageRules]),
  ...unless(went, toolMessageRules),
  ...[...condaRules, ...imageRules, ...systemRules, ...processRules, ...pythonRules, ...versionRules, ...settingRules],
  ...[...fileRules, ...serverRules, ...gpuRules, ...modelRules, ...shipmentRules],
];

/** What is said of a cause where files show it. */
export function causeInFiles(name: string): FailureRule {
  const named = [...shipmentRules, ...rules].filter(({ cause }) => cause === name);
  const chosen = named.find(({ inFiles }) => inFiles) ?? named[0];
  if (!chosen) throw new Error(`no cause of files ${name}`);
  return chosen;
}

function unless(undoneBy: RegExp, some: readonly FailureRule[]): readonly FailureRule[] {
  // A copy would compile its signs.
  for (const rule of some) rule.undoneBy ??= undoneBy;
  return some;
}
