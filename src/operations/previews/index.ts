export { listPreviews, type Preview } from './list-previews.ts';
export { asPreview, planPreview, recordPreview } from './plan-preview.ts';
export { prunePreviews } from './prune-previews.ts';
