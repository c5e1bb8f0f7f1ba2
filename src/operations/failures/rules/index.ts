import type { FailureRule } from '../rule.ts';
import { aptRules } from './apt.ts';
import { callRules } from './calls.ts';
import { condaRules } from './conda.ts';
import { fileRules } from './files.ts';
import { gpuRules } from './gpu.ts';
import { imageRules } from './images.ts';
import { importRules } from './imports.ts';
import { networkRules } from './network.ts';
import { packageBuildRules } from './package-builds.ts';
import { packageRules } from './packages.ts';
import { pythonRules } from './python.ts';
import { serverRules } from './servers.ts';
import { settingRules } from './settings.ts';
import { systemRules } from './system.ts';
import { versionRules } from './versions.ts';
import { workerRules } from './workers.ts';

export const rules: readonly FailureRule[] = [
  ...packageRules,
  ...packageBuildRules,
  ...aptRules,
  ...condaRules,
  ...imageRules,
  ...systemRules,
  ...pythonRules,
  ...importRules,
  ...versionRules,
  ...settingRules,
  ...fileRules,
  ...networkRules,
  ...serverRules,
  ...workerRules,
  ...callRules,
  ...gpuRules,
];
