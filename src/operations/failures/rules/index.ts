import type { FailureRule } from '../rule.ts';
import { gpuRules } from './gpu.ts';
import { packageRules } from './packages.ts';
import { pythonRules } from './python.ts';
import { serverRules } from './servers.ts';
import { systemRules } from './system.ts';

export const rules: readonly FailureRule[] = [
  ...packageRules,
  ...systemRules,
  ...pythonRules,
  ...serverRules,
  ...gpuRules,
];
