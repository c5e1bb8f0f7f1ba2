/** Every endpoint, for completeness checks: each has an emulator route and a reply in `fixtures/replies`. */
import { listApiKeys } from './api-keys.ts';
import { createApp, createPartnerApp, deleteApp, getApp, listApps, scaleApp } from './apps.ts';
import { cancelBuild, getBuild, getBuildLogs, getBuildZipContents, listBuilds } from './builds.ts';
import { changePlan, listPaymentMethods } from './plan.ts';
import { listProjects } from './projects.ts';
import { listServiceAccounts, updateServiceAccount } from './service-accounts.ts';
import { inviteUser, listUsers } from './users.ts';

export const endpoints = {
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
  listApiKeys,
  inviteUser,
  listUsers,
  listServiceAccounts,
  updateServiceAccount,
  changePlan,
  listPaymentMethods,
};

export type EndpointName = keyof typeof endpoints;
