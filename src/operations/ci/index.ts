export { ciSystems, pipelineFor } from './pipelines.ts';
export { writePipeline } from './write-pipeline.ts';
