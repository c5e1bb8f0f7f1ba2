export { type Content, contentOf } from './body-content.ts';
export { expectAsked } from './expect-id.ts';
export { type Leaf, leaves } from './json-leaves.ts';
export { type Page, type Place, readPages } from './pages.ts';
