export { listPreviews, type Preview } from './list-previews.ts';
export { asPreview, planPreview, recordPreview, requireRenewed } from './plan-preview.ts';
export { prunePreviews } from './prune-previews.ts';
