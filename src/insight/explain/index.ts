export { type ExplainedFailure, explainFailure } from './explain-failure.ts';
