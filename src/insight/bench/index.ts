export type { BenchReport, BenchSecond, BenchStep, CallParts } from './bench-report.ts';
export { runBench } from './run-bench.ts';
