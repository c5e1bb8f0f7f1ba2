import { deploymentRule, fileListsRule } from './deployment.ts';
import { entrypointRule, filesRule } from './files.ts';
import { hardwareRule } from './hardware.ts';
import { knownLimitsRule } from './known-limits.ts';
import { appNameRule, requiredNameRule } from './name.ts';
import type { ConfigRule } from './rule.ts';
import { runtimeRule, scalingRule, valuesRule } from './values.ts';

/** The checks of a file whose values have valid types. The order does not matter: problems are sorted later. */
export const runRules: readonly ConfigRule[] = [
  appNameRule,
  valuesRule,
  fileListsRule,
  hardwareRule,
  scalingRule,
  runtimeRule,
  filesRule,
  knownLimitsRule,
];

/** All rules, with the checks of what only a deploy uses. */
export const deployRules: readonly ConfigRule[] = [...runRules, requiredNameRule, deploymentRule, entrypointRule];
