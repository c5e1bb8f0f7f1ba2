import type { FailureRule } from '../rule.ts';

const invalid = 'the call does not have the parameters that the app wants';
const correct =
  'send each field that the app declares, in its type: the body of the 422 names the field (gantry invoke shows it)';

/** Calls that the app or the platform refuses. */
export const callRules: readonly FailureRule[] = [
  {
    cause: 'host-not-allowed',
    rank: 3,
    signs: {
      'Invalid HTTP_HOST header':
        /DisallowedHost\b.{0,20}Invalid HTTP_HOST header: '(?<host>[^']{1,120})'|Invalid HTTP_HOST header: '(?<name>[^']{1,120})'/,
    },
    title: 'Django refuses requests for the host of the app',
    fix: 'add the host that the message names to ALLOWED_HOSTS, and its https address to CSRF_TRUSTED_ORIGINS',
  },
  {
    cause: 'run-timeout',
    rank: 3,
    signs: {
      'time limit (': /(?:Hard|Soft) time limit \(\d{1,7}(?:\.\d{1,3})?s\) exceeded/,
      TimeLimitExceeded: /(?:Soft)?TimeLimitExceeded\(/,
    },
    title: 'a task took longer than its time limit',
    fix: 'raise the time limit of the worker, or split the task',
  },
  {
    cause: 'run-timeout',
    rank: 0,
    signs: { 'status code 504': /^status code 504$/ },
    title: 'the call took longer than allowed',
    fix: 'raise response_grace_period, or call it asynchronously: gantry invoke --async',
    at: 'scaling.response_grace_period',
  },
  {
    cause: 'run-timeout',
    rank: 0,
    signs: {
      'HTTP/1': /"(?:GET|POST|PUT|PATCH|DELETE) \S{1,300} HTTP\/1\.[01]" 504\b/,
      'upstream timed out': /upstream timed out \(110: /,
    },
    title: 'the call took longer than allowed',
    fix: 'raise response_grace_period, or call it asynchronously: gantry invoke --async',
    at: 'scaling.response_grace_period',
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: {
      '"loc"': /"detail": ?\[\{.{0,200}?"loc": ?\[(?<field>[^\]]{1,160})\].{0,40}?"msg": ?"(?<problem>[^"]{1,160})"/,
      "'loc'": /'loc': \((?<field>[^)]{1,160})\).{0,60}?'msg': '(?<problem>[^']{1,160})'/,
    },
    title: `${invalid}: {field}: {problem}`,
    fix: correct,
  },
  {
    cause: 'wrong-arguments',
    rank: 1,
    signs: {
      'HTTP/1': /"(?:POST|PUT|PATCH|GET|DELETE) \S{1,300} HTTP\/1\.[01]" 422\b/,
    },
    // The text of the reply says more.
    applies: (_, { reason }) => reason === undefined,
    title: invalid,
    fix: correct,
  },
];
