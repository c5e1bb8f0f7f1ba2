/** Every endpoint, for completeness checks: each has an emulator route and a reply in `fixtures/replies`. */
import { createApp, createPartnerApp, getApp, listApps } from './apps.ts';
import { cancelBuild, getBuild, getBuildLogs, getBuildZipContents, listBuilds } from './builds.ts';

export const endpoints = {
  createApp,
  createPartnerApp,
  listApps,
  getApp,
  listBuilds,
  getBuild,
  getBuildLogs,
  getBuildZipContents,
  cancelBuild,
};

export type EndpointName = keyof typeof endpoints;
