export { readPipelineApp } from './pipeline-app.ts';
export { adviceOnSmoke, ciSystems, pipelineFor } from './pipelines.ts';
export { writePackage } from './write-package.ts';
export { writePipeline } from './write-pipeline.ts';
