export { listPreviews, type Preview } from './list-previews.ts';
export { planPreview, previewScaling, recordPreview } from './preview-record.ts';
export { prunePreviews } from './prune-previews.ts';
