import { expect, test } from 'vitest';
import { notesOf } from '../../packaging/summarize.js';

const changelog =
  '# Changelog\n\nAbout.\n\n## [Unreleased]\n\n### Added\n\n- next\n\n## [1.2.0] - 2026-01-02\n\n- this\n\n## [1.1.0]\n\n- old\n';

test.each([
  ['1.2.0', '- this\n'],
  ['1.1.0', '- old\n'],
  ['9.9.9', '### Added\n\n- next\n'],
])('the notes of %s are its part of the change log', (version, expected) => {
  expect(notesOf(changelog, version)).toBe(expected);
});
