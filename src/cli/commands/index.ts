import type { Command } from '../command.ts';

/** A command, a group of commands, or both: their names are not its first argument. */
export interface CommandEntry {
  summary: string;
  load?: () => Promise<{ default: Command }>;
  commands?: Record<string, Leaf>;
  /** The command that is meant if none is named. */
  byDefault?: string;
}

export type Leaf = CommandEntry & Required<Pick<CommandEntry, 'load'>>;

/** All commands by category. The path of a file is its command line, and a module is imported when it is called. */
export const commands: Record<string, Record<string, CommandEntry>> = {
  'Get started': {
    init: { summary: 'create a cerebrium.toml and main.py', load: () => import('./init.ts') },
    dev: { summary: 'run the app locally and reload on save', load: () => import('./dev.ts') },
    deploy: { summary: 'deploy the app in this folder', load: () => import('./deploy.ts') },
    invoke: { summary: 'call a deployed app', load: () => import('./invoke.ts') },
    map: { summary: 'call an app with each line of a file', load: () => import('./map.ts') },
    status: { summary: 'show the state of an app, or of the project', load: () => import('./status.ts') },
    logs: { summary: 'show the log of an app, a build or a run', load: () => import('./logs.ts') },
    explain: { summary: 'explain why a build or a run failed', load: () => import('./explain.ts') },
    run: { summary: 'run a Python file once on the platform', load: () => import('./run.ts') },
    check: { summary: 'validate cerebrium.toml without deploying', load: () => import('./check.ts') },
  },
  Files: {
    cp: { summary: 'copy files to, from and between volumes', load: () => import('./cp.ts') },
    sync: { summary: 'sync a local folder and a volume', load: () => import('./sync.ts') },
    ls: { summary: 'list files and folders on a volume', load: () => import('./ls.ts') },
    cat: { summary: 'print files from a volume', load: () => import('./cat.ts') },
    rm: { summary: 'remove files and folders from a volume', load: () => import('./rm.ts') },
    volumes: {
      summary: 'list, measure, verify and resize volumes',
      commands: {
        list: { summary: 'list volumes and their sizes', load: () => import('./volumes/list.ts') },
        usage: { summary: 'show what takes the space of a volume', load: () => import('./volumes/usage.ts') },
        verify: { summary: 'compare weights with weights.lock', load: () => import('./volumes/verify.ts') },
        resize: { summary: 'make a volume larger', load: () => import('./volumes/resize.ts') },
      },
    },
  },
  Manage: {
    apps: {
      summary: 'list, inspect, scale, measure and delete apps',
      commands: {
        list: { summary: 'list the apps of the project', load: () => import('./apps/list.ts') },
        get: { summary: 'show an app', load: () => import('./apps/get.ts') },
        containers: { summary: 'list the containers of an app', load: () => import('./apps/containers.ts') },
        scale: { summary: 'change the replicas and timeouts of a running app', load: () => import('./apps/scale.ts') },
        restart: {
          summary: 'deploy the live build again, with current secrets',
          load: () => import('./apps/restart.ts'),
        },
        tune: { summary: 'suggest scaling settings from past calls', load: () => import('./apps/tune.ts') },
        bench: { summary: 'measure an app under load', load: () => import('./apps/bench.ts') },
        prune: { summary: 'delete previews of this repository', load: () => import('./apps/prune.ts') },
        delete: { summary: 'delete an app', load: () => import('./apps/delete.ts') },
      },
    },
    rollback: { summary: 'deploy an earlier build again', load: () => import('./rollback.ts') },
    promote: { summary: 'deploy what serves as one app as another', load: () => import('./promote.ts') },
    history: { summary: 'show what was deployed and what served', load: () => import('./history.ts') },
    builds: {
      summary: 'list, inspect, compare and cancel builds',
      commands: {
        list: { summary: 'list the builds of an app', load: () => import('./builds/list.ts') },
        get: { summary: 'show a build, or list its files', load: () => import('./builds/get.ts') },
        compare: { summary: 'compare the calls of two builds', load: () => import('./builds/compare.ts') },
        cancel: { summary: 'cancel a build', load: () => import('./builds/cancel.ts') },
      },
    },
    runs: {
      summary: 'list, inspect, chart, export and cancel runs',
      commands: {
        list: { summary: 'list the runs of an app', load: () => import('./runs/list.ts') },
        chart: { summary: 'chart runs and latency', load: () => import('./runs/chart.ts') },
        export: { summary: 'write runs as JSON lines or CSV', load: () => import('./runs/export.ts') },
        get: { summary: 'show a run', load: () => import('./runs/get.ts') },
        cancel: { summary: 'cancel a run', load: () => import('./runs/cancel.ts') },
      },
    },
    cost: { summary: 'show what apps cost and waste', load: () => import('./cost.ts') },
    metrics: {
      summary: 'chart what replicas use, or watch how fast they are',
      load: () => import('./metrics.ts'),
      commands: {
        serve: { summary: 'serve the figures of apps to Prometheus', load: () => import('./metrics/serve.ts') },
      },
    },
    secrets: {
      summary: 'manage secrets',
      commands: {
        list: { summary: 'list secrets, without their values', load: () => import('./secrets/list.ts') },
        set: { summary: 'add or replace secrets', load: () => import('./secrets/set.ts') },
        unset: { summary: 'remove secrets', load: () => import('./secrets/unset.ts') },
      },
    },
    webhooks: {
      summary: 'receive webhook deliveries',
      commands: {
        listen: { summary: 'receive deliveries on this machine', load: () => import('./webhooks/listen.ts') },
      },
    },
    projects: {
      summary: 'list and select projects',
      commands: {
        list: { summary: 'list the projects of the token', load: () => import('./projects/list.ts') },
        use: { summary: 'select a project', load: () => import('./projects/use.ts') },
      },
    },
    users: {
      summary: 'list and invite users; only the dashboard removes them',
      byDefault: 'list',
      commands: {
        list: { summary: 'list users and pending invitations (the default)', load: () => import('./users/list.ts') },
        invite: { summary: 'invite a user to the project', load: () => import('./users/invite.ts') },
      },
    },
    'service-accounts': {
      summary: 'change the access of service accounts; only the dashboard creates them',
      byDefault: 'list',
      commands: {
        list: { summary: 'list service accounts (the default)', load: () => import('./service-accounts/list.ts') },
        grant: { summary: 'give an account access to projects', load: () => import('./service-accounts/grant.ts') },
        revoke: { summary: "end an account's access to projects", load: () => import('./service-accounts/revoke.ts') },
        'set-grants': { summary: 'replace all grants', load: () => import('./service-accounts/set-grants.ts') },
      },
    },
    'api-keys': {
      summary: 'list API keys; only the dashboard creates them',
      byDefault: 'list',
      commands: { list: { summary: 'list API keys (the default)', load: () => import('./api-keys/list.ts') } },
    },
    plan: {
      summary: 'manage plan and billing',
      commands: {
        set: { summary: 'change the plan', load: () => import('./plan/set.ts') },
        'payment-methods': { summary: 'list payment methods', load: () => import('./plan/payment-methods.ts') },
        invoices: { summary: 'list invoices', load: () => import('./plan/invoices.ts') },
      },
    },
  },
  'Account and tools': {
    login: { summary: 'log in, or store a token', load: () => import('./login.ts') },
    logout: { summary: 'remove the stored token', load: () => import('./logout.ts') },
    whoami: { summary: 'show the current login and project', load: () => import('./whoami.ts') },
    config: {
      summary: 'manage settings and profiles',
      commands: {
        list: { summary: 'list all settings', load: () => import('./config/list.ts') },
        get: { summary: 'print a setting', load: () => import('./config/get.ts') },
        set: { summary: 'store a setting in the current profile', load: () => import('./config/set.ts') },
        profiles: { summary: 'list, select and remove profiles', load: () => import('./config/profiles.ts') },
        unset: { summary: 'remove a setting from the current profile', load: () => import('./config/unset.ts') },
      },
    },
    doctor: { summary: 'check this machine, or list what is kept on it', load: () => import('./doctor.ts') },
    open: { summary: 'open the dashboard in a browser', load: () => import('./open.ts') },
    api: { summary: 'call any endpoint of the platform', load: () => import('./api.ts') },
    emulator: {
      summary: 'run the platform locally',
      commands: {
        start: { summary: 'run an emulator until Ctrl-C', load: () => import('./emulator/start.ts') },
        exec: { summary: 'run a command against a fresh emulator', load: () => import('./emulator/exec.ts') },
        env: {
          summary: 'print the variables that point a shell to a running emulator',
          load: () => import('./emulator/env.ts'),
        },
        list: { summary: 'list running emulators', load: () => import('./emulator/list.ts') },
        stop: { summary: 'stop a running emulator', load: () => import('./emulator/stop.ts') },
      },
    },
    mcp: {
      summary: 'serve the commands to AI agents (Model Context Protocol)',
      byDefault: 'serve',
      commands: {
        serve: { summary: 'serve MCP on stdin and stdout', load: () => import('./mcp/serve.ts') },
      },
    },
    completion: { summary: 'generate a shell completion script', load: () => import('./completion.ts') },
    help: { summary: 'show help for a command or topic', load: () => import('./help.ts') },
  },
};

/** The command or group of this name. */
export function namedCommand(name: string): CommandEntry | undefined {
  return Object.values(commands).find((entries) => Object.hasOwn(entries, name))?.[name];
}
