/** Every endpoint. Tests check that each has an emulator route and a reply in `fixtures/replies`. */

import { createApp, createPartnerApp, deleteApp, getApp, listApps, scaleApp } from './apps.ts';
import { changePlan, getAppCost, getProjectCost, listInvoices, listPaymentMethods } from './billing.ts';
import { cancelBuild, getBuild, getBuildLogs, getBuildZipContents, listBuilds } from './builds.ts';
import { listContainers } from './containers.ts';
import { invoke } from './invocation.ts';
import { getAppLogs } from './logs.ts';
import { getResourceMetrics, getStartupTimes } from './metrics.ts';
import { createRunApp, prepareBaseImage, startRun } from './run-app.ts';
import { cancelRun, getRun, getRunsChart, listRuns } from './runs.ts';
import { getAppSecrets, getProjectSecrets, setAppSecrets, setProjectSecrets } from './secrets.ts';
import { authorizeDevice, listProjects, renewToken, requestToken } from './session.ts';
import { getServiceStatus } from './status.ts';
import { inviteUser, listApiKeys, listServiceAccounts, listUsers, updateServiceAccount } from './team.ts';
import {
  completeUpload,
  deletePath,
  getDownloadLink,
  initializeUpload,
  listFolder,
  listVolumes,
  resizeVolume,
} from './volumes.ts';

export const endpoints = {
  authorizeDevice,
  requestToken,
  renewToken,
  listProjects,
  createApp,
  createPartnerApp,
  listApps,
  getApp,
  scaleApp,
  deleteApp,
  listBuilds,
  getBuild,
  getBuildLogs,
  getBuildZipContents,
  cancelBuild,
  getRunsChart,
  listRuns,
  getRun,
  cancelRun,
  invoke,
  getAppLogs,
  createRunApp,
  prepareBaseImage,
  startRun,
  getStartupTimes,
  getResourceMetrics,
  listContainers,
  listApiKeys,
  inviteUser,
  listUsers,
  listServiceAccounts,
  updateServiceAccount,
  changePlan,
  listPaymentMethods,
  listInvoices,
  getProjectCost,
  getAppCost,
  getProjectSecrets,
  setProjectSecrets,
  getAppSecrets,
  setAppSecrets,
  getServiceStatus,
  listVolumes,
  initializeUpload,
  completeUpload,
  listFolder,
  getDownloadLink,
  deletePath,
  resizeVolume,
};

export type EndpointName = keyof typeof endpoints;
