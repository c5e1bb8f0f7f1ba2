import type { GoType } from './go-json.ts';

/** What the official client reads of each reply, with its types (platform.md: "client"). */

const summary: GoType = { struct: { id: 'string', status: 'string', updatedAt: 'time', createdAt: 'time' } };

const chart: GoType = {
  struct: {
    timestamps: { slice: 'int' },
    series: { slice: { struct: { name: 'string', data: { slice: 'metric' } } } },
  },
};

export const replies = {
  device: {
    struct: {
      deviceAuthResponsePayload: {
        struct: {
          device_code: 'string',
          user_code: 'string',
          verification_uri: 'string',
          verification_uri_complete: 'string',
          expires_in: 'int',
          interval: 'int',
        },
      },
    },
  },
  tokens: { struct: { accessToken: 'string', refreshToken: 'string' } },
  renewed: { struct: { access_token: 'string' } },
  loginError: { struct: { message: 'string', error: 'string', error_code: 'string' } },
  error: { struct: { message: 'string' } },
  projects: { slice: { struct: { id: 'string', name: 'string' } } },
  apps: { slice: summary },
  app: {
    struct: {
      id: 'string',
      createdAt: 'time',
      updatedAt: 'time',
      hardware: 'string',
      cpu: 'string',
      memory: 'string',
      gpuCount: 'string',
      cooldownPeriodSeconds: 'string',
      minReplicaCount: 'string',
      maxReplicaCount: 'string',
      responseGracePeriodSeconds: 'string',
      status: 'string',
      lastBuildStatus: 'string',
      latestBuildId: 'string',
      pods: { slice: 'string' },
    },
  },
  created: {
    struct: {
      buildId: 'string',
      status: 'string',
      uploadUrl: 'string',
      keyName: 'string',
      internalEndpoint: 'string',
      dashboardUrl: 'string',
    },
  },
  build: {
    struct: { id: 'string', status: 'string', createdAt: 'string', updatedAt: 'string', initError: 'string' },
  },
  containers: {
    slice: {
      struct: {
        appId: 'string',
        projectId: 'string',
        containerId: 'string',
        containerState: 'string',
        timestamp: 'time',
        containerStartTimestamp: 'time',
        containerTerminationTimestamp: 'time',
        containerRunningTimeMs: 'int',
        containerRestartCount: 'int',
        hostIp: 'string',
        containerIp: 'string',
        hardwareProvider: 'string',
        region: 'string',
        buildId: 'string',
        isTerminating: 'bool',
      },
    },
  },
  runs: {
    struct: {
      items: {
        slice: {
          struct: {
            async: 'bool',
            completedAt: 'nullable-time',
            containerId: 'string',
            containerStartedAt: 'string',
            createdAt: 'time',
            functionName: 'string',
            id: 'string',
            ip: 'string',
            method: 'string',
            modelId: 'string',
            projectId: 'string',
            queueProxyReceivedAt: 'nullable-time',
            queueProxyWaitEndedAt: 'nullable-time',
            queueProxyWaitStartedAt: 'nullable-time',
            queueTimeMs: 'float',
            region: 'string',
            responseTimeMs: 'float',
            runtimeMs: 'float',
            status: 'string',
            statusCode: 'int',
            updatedAt: 'nullable-time',
            webhookEndpoint: 'string',
            websocket: 'bool',
            activatorQueueTimeMs: 'int',
            containerQueueTimeMs: 'int',
            totalQueueTimeMs: 'int',
            executionTimeMs: 'int',
            totalResponseTimeMs: 'int',
          },
        },
      },
      nextToken: 'string',
    },
  },
  run: { struct: { item: { struct: { status: 'string' } } } },
  started: { struct: { runId: 'string' } },
  image: { struct: { status: 'string', digest: 'string' } },
  logs: {
    struct: {
      logs: {
        slice: {
          struct: {
            appId: 'string',
            projectId: 'string',
            runId: 'string',
            containerId: 'string',
            containerName: 'string',
            logId: 'string',
            lineNumber: 'int',
            logLine: 'string',
            stream: 'string',
            timestamp: 'string',
          },
        },
      },
      nextPageToken: 'string',
      hasMore: 'bool',
    },
  },
  buildFrame: {
    struct: {
      build_id: 'string',
      app_id: 'string',
      timestamp: 'string',
      stream: 'string',
      log: 'string',
      line_number: 'int',
      stage: 'string',
    },
  },
  appFrame: {
    struct: { app_id: 'string', run_id: 'string', timestamp: 'string', container_name: 'string', log: 'string' },
  },
  files: { slice: { struct: { name: 'string', is_folder: 'bool', size_bytes: 'int', last_modified: 'string' } } },
  upload: {
    struct: { upload_id: 'string', parts: { slice: { struct: { part_number: 'int', url: 'string' } } } },
  },
  download: { struct: { url: 'string' } },
  secrets: { map: 'string' },
  resources: { struct: { cpu: chart, memory: chart, gpu: chart, containers: chart, requests: chart } },
} as const satisfies Record<string, GoType>;
