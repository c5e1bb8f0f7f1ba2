export { assumeClock, atPlatformTime } from './at-platform-time.ts';
export { type DecodedBody, decodeBody } from './decode-body.ts';
export { expectId } from './expect-id.ts';
export { fetchApp } from './fetch-app.ts';
export { jsonLeaves } from './json-leaves.ts';
export { type ListPage, type PagePosition, readPages } from './pages.ts';
