/** Every endpoint, for completeness checks: each has an emulator route and a reply in `fixtures/replies`. */
import { createApp, createPartnerApp, deleteApp, getApp, listApps, scaleApp } from './apps.ts';
import { cancelBuild, getBuild, getBuildLogs, getBuildZipContents, listBuilds } from './builds.ts';
import { listProjects } from './projects.ts';

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
};

export type EndpointName = keyof typeof endpoints;
