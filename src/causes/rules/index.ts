import type { FailureRule } from '../rule.ts';
import { aptRules } from './apt.ts';
import { callRules } from './calls.ts';
import { condaRules } from './conda.ts';
import { databaseRules } from './databases.ts';
import { fileRules } from './files.ts';
import { gpuRules } from './gpu.ts';
import { gpuLibraryRules } from './gpu-libraries.ts';
import { imageRules } from './images.ts';
import { importRules } from './imports.ts';
import { lockFileRules } from './lock-files.ts';
import { modelRules } from './models.ts';
import { networkRules } from './network.ts';
import { packageBuildRules } from './package-builds.ts';
import { packageRules } from './packages.ts';
import { processRules } from './processes.ts';
import { programRules } from './programs.ts';
import { pythonRules } from './python.ts';
import { pythonVersionRules } from './python-versions.ts';
import { serverRules } from './servers.ts';
import { settingRules } from './settings.ts';
import { systemRules } from './system.ts';
import { versionRules } from './versions.ts';
import { workerRules } from './workers.ts';

export const rules: readonly FailureRule[] = [
  ...packageRules,
  ...packageBuildRules,
  ...lockFileRules,
  ...aptRules,
  ...condaRules,
  ...imageRules,
  ...systemRules,
  ...programRules,
  ...processRules,
  ...pythonRules,
  ...importRules,
  ...versionRules,
  ...pythonVersionRules,
  ...settingRules,
  ...fileRules,
  ...networkRules,
  ...databaseRules,
  ...serverRules,
  ...workerRules,
  ...callRules,
  ...gpuRules,
  ...gpuLibraryRules,
  ...modelRules,
];
