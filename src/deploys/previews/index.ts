export { listPreviews, type Preview } from './list-previews.ts';
export { planPreview, previewScaling } from './plan-preview.ts';
export { recordPreview } from './preview-record.ts';
export { prunePreviews } from './prune-previews.ts';
