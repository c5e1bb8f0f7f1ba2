import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, isPlainImage } from '../../app/docker-image.ts';
import { groupsOf } from '../groups.ts';
import { pythonPackageOfProgram } from '../program-packages.ts';
import type { LookedApp } from './looked-app.ts';
import { noProgram, type SeenCause } from './seen-cause.ts';

const finds = /venv|activate|\b(?:uv|poetry|pipenv|pdm) run\b/;

/** A program of a virtual environment whose folder is not in the PATH. */
export function* lookAtStages({ shipment }: LookedApp): Generator<SeenCause> {
  const { path: file = '', stage } = shipment.dockerfile() ?? {};
  const [program = ''] = shipment.servers()[0]?.words ?? [];
  if (!stage || !isPlainImage(stage.base) || pythonPackageOfProgram(program) === undefined) return;
  const [home] = environmentsOf(stage);
  const path = stage.environment.get('PATH') ?? '';
  const texts = [...(stage.command?.words ?? []), ...shipment.startedFiles().map((each) => shipment.read(each))];
  const isFound = path.includes(`${home}/`) || /\$(?!PATH)/.test(path) || finds.test(texts.join(' '));
  if (home === undefined || isFound || mayBring(stage, program)) return;
  const why = `it is in ${home}/bin, where the PATH does not look`;
  yield noProgram(program, { file, line: stage.command?.line }, why, fixOf(home));
}

const fixOf = (home: string) =>
  home === homeOfPoetry
    ? 'RUN poetry config virtualenvs.create false, before poetry install'
    : `ENV PATH="${home}/bin:$PATH"`;

/** Whether something else may have brought a program. */
const mayBring = ({ commands, others }: ImageState, program: string) =>
  others.some(({ path }) => /^\/usr(?:\/local)?$|site-packages|\/bin$/.test(path)) ||
  commands.some(
    ({ words }) =>
      /^(?:uv )?pip install/.test(words.join(' ')) && ['-r', '.', program].some((each) => words.includes(each)),
  );

const homeOfPoetry = '/root/.cache/pypoetry/virtualenvs/…';

/** Where Poetry makes one, unless it is told otherwise. */
function ofPoetry(commands: ImageState['commands'], environment: ReadonlyMap<string, string>): string | undefined {
  const isTold =
    [...environment.keys()].some((name) => name.startsWith('POETRY_VIRTUALENVS')) ||
    commands.some(({ words }) => /^poetry config\b.*virtualenvs/.test(words.join(' ')));
  return isTold ? undefined : homeOfPoetry;
}

/** The folders of virtual environments that the commands of an image make, or that it has from another stage. */
function environmentsOf({ commands, others }: ImageState): string[] {
  const own = commands.flatMap(({ words, cwd, before: { environment } }) => {
    const [made, folder] = groupsOf(
      /^(?:\S*python[\d.]* -m venv|virtualenv|uv (?:venv|sync))(?: ([^-\s]\S*))?/,
      words.join(' '),
    );
    const usual = made?.startsWith('uv') ? (environment.get('UV_PROJECT_ENVIRONMENT') ?? '.venv') : undefined;
    const place =
      folder ?? usual ?? (/^poetry install\b/.test(words.join(' ')) ? ofPoetry(commands, environment) : undefined);
    return place === undefined ? [] : [posix.resolve(cwd, place)];
  });
  const copied = others.flatMap(({ path, from }) =>
    from
      ? environmentsOf(from.stage).flatMap((home) =>
          isBelowOrSame(home, from.path) ? posix.join(path, posix.relative(from.path, home)) : [],
        )
      : [],
  );
  return [...own, ...copied];
}
