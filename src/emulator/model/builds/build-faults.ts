import type { BuildFault } from '../faults.ts';
import type { BuildScene, BuildScript } from '../state/records.ts';

/** How each fault changes a build's script. */
export const buildFaults: Record<BuildFault, (script: BuildScript) => BuildScript> = {
  fail: failToBuild,
  build_failure: failToBuild,

  init_failure: ({ scenes }) => ({
    scenes: withLines(scenes, 'initializing', [
      'Traceback (most recent call last):',
      '  File "/cortex/main.py", line 1, in <module>',
      "ModuleNotFoundError: No module named 'torchh'",
    ]),
    end: { status: 'init_failure', reason: "the app did not start: ModuleNotFoundError: No module named 'torchh'" },
  }),

  init_timeout: ({ scenes }) => ({
    scenes: withLines(scenes, 'initializing', ['Readiness check failed: connection refused']),
    end: { status: 'init_timeout', reason: 'the app was not ready within its deployment_initialization_timeout' },
  }),

  slow: ({ scenes }) => ({ scenes: scenes.filter((scene) => scene.status === 'building') }),

  // The build goes on as it would with such an archive.

  'unknown-status': (script) => ({ ...script, surprise: 'polishing' }),

  'hostile-log': ({ scenes, ...rest }) => ({ scenes: withLines(scenes, 'building', hostileLines()), ...rest }),
};

function failToBuild({ scenes }: BuildScript): BuildScript {
  return {
    scenes: withLines(
      scenes.filter((scene) => scene.status === 'building'),
      'building',
      ['ERROR: No matching distribution found for torchh', 'ERROR: process "pip install" exited with code 1'],
    ),
    end: { status: 'build_failure', reason: 'pip install failed: no matching distribution found for torchh' },
  };
}

/** Adds lines to the last scene with this status. */
function withLines(scenes: BuildScene[], status: BuildScene['status'], lines: string[]): BuildScene[] {
  const last = scenes.findLastIndex((scene) => scene.status === status);
  return scenes.map((scene, index) => (index === last ? { status, lines: [...scene.lines, ...lines] } : scene));
}

/** Lines that attack the terminal or the CI system that shows them. */
function hostileLines(): string[] {
  const esc = '\u001b';
  const bell = '\u0007';
  return [
    `title ${esc}]0;hijacked${bell}`,
    `clipboard ${esc}]52;c;cm0gLXJmIH4=${bell}`,
    `link ${esc}]8;;https://evil.example${bell}click me${esc}]8;;${bell}`,
    `screen ${esc}[2J${esc}[H${esc}[3A${esc}[?25l`,
    `one byte instead of two \u009b2J`,
    `unfinished ${esc}]0;never closed`,
    `color ${esc}[31mred${esc}[0m`,
    'bells \u0007\u0007 backspaces \b\b\b and a null \u0000',
    'right to left \u202etxt.exe',
    '::error file=main.py,line=1::not from us',
    '::set-output name=endpoint::https://evil.example',
    'progress 1%\rprogress 99%\r::warning::after a carriage return',
    'x'.repeat(100_000),
  ];
}
