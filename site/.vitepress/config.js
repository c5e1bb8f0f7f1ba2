import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

export default defineConfig({
  title: 'gantry',
  description: 'Deploy, run and manage apps from the command line',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache',
  // A page has the same address on any server of files.
  cleanUrls: false,
  // Once, and not in each page.
  metaChunk: true,
  themeConfig: {
    nav: [
      { text: 'First app', link: '/first-app' },
      { text: 'Commands', link: '/reference/' },
      { text: 'cerebrium.toml', link: '/reference/cerebrium-toml' },
    ],
    sidebar: JSON.parse(readFileSync(new URL('../pages/contents.json', import.meta.url), 'utf8')),
    search: { provider: 'local' },
    outline: { level: [2, 3] },
  },
});
