export { listPreviews, type Preview } from './list-previews.ts';
export { asPreview, planPreview } from './plan-preview.ts';
export { recordPreview, requireRenewed } from './preview-record.ts';
export { prunePreviews } from './prune-previews.ts';
