/** How apps are doing now: figures of the last minute, for people, for Prometheus, and to wait for. */
export type { AppFigures, FailedCalls } from './app-figures.ts';
export { type Condition, figureNames, figureText, parseCondition } from './condition.ts';
export { leastIntervalMs } from './monitor-apps.ts';
export { serveMetrics } from './serve-metrics.ts';
export type { ShownComparison } from './shown-comparison.ts';
export { runTop, type TopFrame } from './top.ts';
export { type MetCondition, watchApp } from './watch-app.ts';
