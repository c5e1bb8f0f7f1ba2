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
    dev: { summary: 'run the app of this folder on this machine', load: () => import('./dev.ts') },
    deploy: { summary: 'deploy the app in this folder', load: () => import('./deploy.ts') },
    invoke: { summary: 'call a deployed app', load: () => import('./invoke.ts') },
    logs: { summary: 'print what an app printed, and follow it', load: () => import('./logs.ts') },
    run: { summary: 'run a Python file on the platform, once', load: () => import('./run.ts') },
  },
  Files: {
    cp: { summary: 'copy files to, from and between volumes', load: () => import('./cp.ts') },
    sync: {
      summary: 'make a folder on a volume equal to a local one, or the other way',
      load: () => import('./sync.ts'),
    },
    ls: { summary: 'list files and folders on a volume', load: () => import('./ls.ts') },
    cat: { summary: 'print files from a volume', load: () => import('./cat.ts') },
    rm: { summary: 'remove files and folders from a volume', load: () => import('./rm.ts') },
    du: { summary: 'add up what folders on a volume hold', load: () => import('./du.ts') },
    df: { summary: 'show the volumes of the project', load: () => import('./df.ts') },
    volumes: {
      summary: 'change volumes',
      commands: {
        resize: { summary: 'make a volume larger', load: () => import('./volumes/resize.ts') },
      },
    },
  },
  'The platform': {
    projects: {
      summary: 'see and choose projects',
      commands: {
        list: { summary: 'list the projects the token may work in', load: () => import('./projects/list.ts') },
        current: { summary: 'print the project in use', load: () => import('./projects/current.ts') },
        use: { summary: 'choose the project to work in from now on', load: () => import('./projects/use.ts') },
      },
    },
    apps: {
      summary: 'see, scale and delete apps',
      commands: {
        list: { summary: 'list the apps of the project', load: () => import('./apps/list.ts') },
        get: { summary: 'show one app in full', load: () => import('./apps/get.ts') },
        scale: { summary: 'change replicas and times of a running app', load: () => import('./apps/scale.ts') },
        delete: { summary: 'delete an app', load: () => import('./apps/delete.ts') },
        cost: { summary: 'what an app cost, day by day', load: () => import('./apps/cost.ts') },
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
    secrets: {
      summary: 'see and change the secrets apps get as environment variables',
      commands: {
        list: { summary: 'list secrets, without their values', load: () => import('./secrets/list.ts') },
        set: { summary: 'add secrets or replace their values', load: () => import('./secrets/set.ts') },
        import: { summary: 'set secrets from a .env or JSON file', load: () => import('./secrets/import.ts') },
        unset: { summary: 'remove secrets', load: () => import('./secrets/unset.ts') },
      },
    },
    runs: {
      summary: 'see and cancel single calls of an app',
      commands: {
        list: { summary: 'list the runs of an app', load: () => import('./runs/list.ts') },
        chart: { summary: 'draw requests and their times', load: () => import('./runs/chart.ts') },
        get: { summary: 'show one run', load: () => import('./runs/get.ts') },
        logs: { summary: 'print what a run has printed', load: () => import('./runs/logs.ts') },
        follow: { summary: 'wait for a run and end as it ends', load: () => import('./runs/follow.ts') },
        cancel: { summary: 'cancel a run that is under way', load: () => import('./runs/cancel.ts') },
      },
    },
    webhooks: {
      summary: 'receive, check and repeat what the platform delivers',
      commands: {
        listen: {
          summary: 'receive deliveries on this machine and show them',
          load: () => import('./webhooks/listen.ts'),
        },
        verify: { summary: 'check the signature of one delivery', load: () => import('./webhooks/verify.ts') },
        replay: { summary: 'send a received delivery once more', load: () => import('./webhooks/replay.ts') },
      },
    },
    metrics: {
      summary: 'see how an app does',
      commands: {
        startup: { summary: 'draw how long replicas take to start', load: () => import('./metrics/startup.ts') },
      },
    },
    containers: {
      summary: 'see the containers that serve an app',
      commands: {
        list: { summary: 'list the containers of an app', load: () => import('./containers/list.ts') },
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
        cost: { summary: 'what the project costs', load: () => import('./plan/cost.ts') },
        invoices: { summary: 'list invoices', load: () => import('./plan/invoices.ts') },
      },
    },
    status: { summary: 'whether the platform is well', load: () => import('./status.ts') },
  },
  'Around it': {
    login: { summary: 'log in, or store a token', load: () => import('./login.ts') },
    logout: { summary: 'remove the stored token', load: () => import('./logout.ts') },
    whoami: { summary: 'tell who and where you are logged in', load: () => import('./whoami.ts') },
    api: { summary: 'make any authenticated call', load: () => import('./api.ts') },
    config: {
      summary: 'see and change settings',
      commands: {
        list: { summary: 'list every setting', load: () => import('./config/list.ts') },
        get: { summary: 'print one setting', load: () => import('./config/get.ts') },
        set: { summary: 'store a setting in the profile in use', load: () => import('./config/set.ts') },
        unset: { summary: 'take a setting out of the profile in use', load: () => import('./config/unset.ts') },
        profiles: { summary: 'list the profiles', load: () => import('./config/profiles.ts') },
        schema: { summary: 'print the JSON Schema of cerebrium.toml', load: () => import('./config/schema.ts') },
      },
    },
    profiles: {
      summary: 'see, choose and remove sets of stored settings',
      commands: {
        list: { summary: 'list the profiles', load: () => import('./profiles/list.ts') },
        use: { summary: 'choose the profile to use from now on', load: () => import('./profiles/use.ts') },
        remove: { summary: 'remove a profile and its token', load: () => import('./profiles/remove.ts') },
      },
    },
    doctor: {
      summary: 'check this machine, the settings and the way to the platform',
      load: () => import('./doctor.ts'),
    },
    emulator: {
      summary: 'the platform, emulated on this machine',
      commands: {
        start: { summary: 'start the emulator and keep it running', load: () => import('./emulator/start.ts') },
        exec: { summary: 'run a command against a fresh emulator', load: () => import('./emulator/exec.ts') },
      },
    },
    completion: { summary: 'print what a shell needs to complete commands', load: () => import('./completion.ts') },
    reference: { summary: 'every command, flag and exit code as data', load: () => import('./reference.ts') },
    help: { summary: 'explain a command or a topic', load: () => import('./help.ts') },
  },
};
