/** Every endpoint. Tests check that each has an emulator route, and read its reply with fields changed. */

import * as apps from './apps.ts';
import * as billing from './billing.ts';
import * as builds from './builds.ts';
import * as containers from './containers.ts';
import type { Endpoint } from './endpoint.ts';
import * as invocation from './invocation.ts';
import * as logs from './logs.ts';
import * as metrics from './metrics.ts';
import * as runApp from './run-app.ts';
import * as runs from './runs.ts';
import * as secrets from './secrets.ts';
import * as session from './session.ts';
import * as status from './status.ts';
import * as team from './team.ts';
import * as volumes from './volumes.ts';

const resources = { ...apps, ...billing, ...builds, ...containers, ...runs, ...runApp, ...invocation };
const others = { ...logs, ...metrics, ...secrets, ...session, ...status, ...team, ...volumes };
const exported = { ...resources, ...others };

type EndpointsOf<All> = { [Name in keyof All as All[Name] extends Endpoint ? Name : never]: All[Name] };

export const endpoints = Object.fromEntries(
  Object.entries(exported).filter(([, value]) => typeof value === 'object' && 'route' in value),
) as EndpointsOf<typeof exported>;

export type EndpointName = keyof typeof endpoints;
