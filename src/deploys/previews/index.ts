export { listPreviews, type Preview, planPreview, previewScaling, recordPreview } from './preview-record.ts';
export { prunePreviews } from './prune-previews.ts';
