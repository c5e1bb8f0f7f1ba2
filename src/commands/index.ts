import type { Command } from '../command.ts';

export interface Leaf {
  summary: string;
  load: () => Promise<{ default: Command }>;
}

export interface Group {
  summary: string;
  commands: Record<string, Leaf>;
}

/** THE table of contents: the path of a file is its command line. Nothing is imported until it is called. */
export const commands: Record<string, Record<string, Leaf | Group>> = {
  'Your app': {
    init: { summary: 'write a small cerebrium.toml and main.py', load: () => import('./init.ts') },
    check: { summary: 'check cerebrium.toml without deploying', load: () => import('./check.ts') },
    package: { summary: 'write the archive a deploy would upload', load: () => import('./package.ts') },
    deploy: { summary: 'deploy the app in this folder', load: () => import('./deploy.ts') },
  },
  'The platform': {
    projects: {
      summary: 'see projects',
      commands: {
        list: { summary: 'list the projects the token may work in', load: () => import('./projects/list.ts') },
        current: { summary: 'print the project in use', load: () => import('./projects/current.ts') },
      },
    },
    apps: {
      summary: 'see, scale and delete apps',
      commands: {
        list: { summary: 'list the apps of the project', load: () => import('./apps/list.ts') },
        get: { summary: 'show one app in full', load: () => import('./apps/get.ts') },
        scale: { summary: 'change replicas and times of a running app', load: () => import('./apps/scale.ts') },
        delete: { summary: 'delete an app', load: () => import('./apps/delete.ts') },
      },
    },
    builds: {
      summary: 'see, follow and cancel builds',
      commands: {
        list: { summary: 'list the builds of an app', load: () => import('./builds/list.ts') },
        get: { summary: 'show one build', load: () => import('./builds/get.ts') },
        logs: { summary: 'print the log of a build', load: () => import('./builds/logs.ts') },
        files: { summary: 'list the files a build was made of', load: () => import('./builds/files.ts') },
        follow: { summary: 'wait for a build and end as it ends', load: () => import('./builds/follow.ts') },
        cancel: { summary: 'cancel a build that is under way', load: () => import('./builds/cancel.ts') },
      },
    },
    'api-keys': {
      summary: 'see API keys',
      commands: {
        list: { summary: 'list the API keys of the project', load: () => import('./api-keys/list.ts') },
      },
    },
    users: {
      summary: 'see and invite people',
      commands: {
        list: { summary: 'list members and open invitations', load: () => import('./users/list.ts') },
        invite: { summary: 'invite somebody to the project', load: () => import('./users/invite.ts') },
      },
    },
    'service-accounts': {
      summary: 'see service accounts and what they may access',
      commands: {
        list: { summary: 'list the service accounts', load: () => import('./service-accounts/list.ts') },
        grant: { summary: 'give access to more projects', load: () => import('./service-accounts/grant.ts') },
        revoke: { summary: 'take away access to projects', load: () => import('./service-accounts/revoke.ts') },
        'set-grants': {
          summary: 'give access to these projects and no other',
          load: () => import('./service-accounts/set-grants.ts'),
        },
      },
    },
    plan: {
      summary: 'the plan and how it is paid',
      commands: {
        set: { summary: 'change the plan', load: () => import('./plan/set.ts') },
        'payment-methods': { summary: 'list payment methods', load: () => import('./plan/payment-methods.ts') },
      },
    },
  },
  'Around it': {
    api: { summary: 'make any authenticated call', load: () => import('./api.ts') },
    config: {
      summary: 'about cerebrium.toml',
      commands: {
        schema: { summary: 'print the JSON Schema of cerebrium.toml', load: () => import('./config/schema.ts') },
      },
    },
    emulator: {
      summary: 'the platform, emulated on this machine',
      commands: {
        start: { summary: 'start the emulator and keep it running', load: () => import('./emulator/start.ts') },
        exec: { summary: 'run a command against a fresh emulator', load: () => import('./emulator/exec.ts') },
      },
    },
    reference: { summary: 'every command, flag and exit code as data', load: () => import('./reference.ts') },
    help: { summary: 'explain a command or a topic', load: () => import('./help.ts') },
  },
};
