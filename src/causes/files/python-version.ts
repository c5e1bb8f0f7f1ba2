import { satisfies } from '../../app/wheels.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Where projects and lock files say which Python they are for. */
const sources: readonly (readonly [file: string, wanted: RegExp])[] = [
  ['pyproject.toml', /^requires-python\s*=\s*["']([^"']+)["']/m],
  ['pyproject.toml', /^\[tool\.poetry\.dependencies\][^[]*?^python\s*=\s*["']([^"']+)["']/ms],
  ['uv.lock', /^requires-python\s*=\s*"([^"]+)"/m],
  ['poetry.lock', /^python-versions\s*=\s*"([^"]+)"\s*\ncontent-hash/m],
  ['Pipfile.lock', /"python_version":\s*"([\d.]+)"/],
  ['Pipfile', /^python_version\s*=\s*"([\d.]+)"/m],
];

/** The Python that the project wants, against that of the image: the first file that tells it. */
export function* lookAtPythonVersion(shipment: Shipment): Generator<SeenCause> {
  const python = shipment.python();
  if (python === undefined) return;
  for (const [file, pattern] of sources) {
    const text = shipment.text(file);
    const match = text === undefined ? undefined : pattern.exec(text);
    if (!match || text === undefined) continue;
    const [whole, wanted = ''] = match;
    if (satisfies(python, wanted)) return;
    const line = text.slice(0, match.index + whole.lastIndexOf(wanted)).split('\n').length;
    yield {
      cause: 'python-version-unsupported',
      severity: installsProject(shipment) ? 'error' : 'warning',
      captured: { package: 'the project' },
      at: { file, line },
      title: `${file} wants Python ${wanted}, and the app runs on ${python}`,
      fix: shipment.isDocker
        ? 'use an image with that Python, or change it here'
        : `python_version = "${leastOf(wanted)}"`,
    };
    return;
  }
}

const leastOf = (wanted: string) => /3\.\d+/.exec(wanted)?.[0] ?? wanted;

/** Tools that refuse another Python. */
const installsProject = (shipment: Shipment) =>
  shipment
    .buildCommands()
    .some(({ words }) =>
      /^(?:poetry install|uv sync|pdm (?:install|sync)|hatch|pip[\d.]* install\b.* \.(?:\[|\/|$))/.test(
        words.join(' '),
      ),
    );
