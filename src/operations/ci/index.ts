export { ciSystems, pipelineFor } from './pipelines.ts';
