import { expect, test } from 'vitest';
import { packageOf } from '../../src/causes/import-names.ts';
import { knownModules, namespacePackages } from '../../src/causes/known-modules.ts';

test.each([
  ['open_clip', 'open-clip-torch'],
  ['hydra', 'hydra-core'],
  ['nemo', 'nemo-toolkit'],
  ['weaviate', 'weaviate-client'],
  ['imblearn', 'imbalanced-learn'],
  ['haystack', 'haystack-ai'],
  ['google.cloud.bigquery', 'google-cloud-bigquery'],
  ['google.cloud.bigquery.table', 'google-cloud-bigquery'],
  ['azure.storage.blob', 'azure-storage-blob'],
  ['cv2', 'opencv-python-headless'],
  ['PIL.Image', 'pillow'],
  ['yaml', 'pyyaml'],
  ['llama_cpp', 'llama-cpp-python'],
  ['flask_cors', 'flask-cors'],
  ['torch', 'torch'],
])('%s is a module of %s', (module, name) => {
  expect(packageOf(module)).toBe(name);
});

// Names that anybody may own, that many packages ship by mistake, or that several packages share.
test.each(['utils', 'tests', 'src', 'examples', 'google', 'google.nothing', 'my_model', 'constructor', '', '.'])(
  'no package is named for %j',
  (module) => {
    expect(packageOf(module)).toBeUndefined();
  },
);

test('every entry is a module, and a package in the form in which PyPI compares names', () => {
  const entries = knownModules.trim().split(/\s+/);
  expect(entries.length).toBeGreaterThan(4_000);
  expect(entries.filter((entry) => !/^[A-Za-z]\w*(=[a-z0-9]+(-[a-z0-9]+)*)?$/.test(entry))).toEqual([]);
  expect(namespacePackages.trim().split(/\s+/)).toContain('google-cloud-storage');
});
