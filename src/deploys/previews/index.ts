export { listPreviews, type Preview, planPreview } from './preview-record.ts';
export { prunePreviews } from './prune-previews.ts';
