import { satisfies } from '../../app/wheels.ts';
import { once } from '../../kernel/once.ts';

/**
 * What versions of packages need, by how the version begins: a Python, or another package that apps pin too. From the
 * metadata of the packages on PyPI, or of those that they bring.
 */
const table = `
arq 0.26.1 0.26.2 0.26.3: redis<6
django 4.2: python>=3.8
django 5: python>=3.10
django 6: python>=3.12
faiss-cpu 1.9 1.10 1.11: numpy>=1.25
fastapi 0.100 0.101 0.102 0.103 0.104 0.105 0.106: starlette<0.28
fastapi 0.110: starlette>=0.36.3,<0.37
fastapi 0.115: starlette>=0.37.2
flask 2.2: werkzeug>=2.2.2
flask 2.3: werkzeug>=2.3
flask 3: werkzeug>=3
gradio 4.44: pydantic>=2 pandas<3 pillow<11
geopandas 1.0: shapely>=2
gradio 5.9 5.10 5.11 5.12 5.13 5.14 5.15 5.16 5.17 5.18 5.19 5.20 5.21 5.22 5.23 5.24 5.25 5.26 5.27 5.28 5.29 5.30 5.31 5.32 5.33 5.34 5.35 5.36 5.37 5.38 5.39 5.40 5.41 5.42 5.43 5.44 5.45 5.46 5.47 5.48 5.49: fastapi>=0.115.2 pydantic>=2 pandas<3 pillow<12
gradio 5: pydantic>=2 pandas<3 pillow<12
ipython 9: python>=3.11
kokoro 0.9.4: python<3.13
langchain 0.2: langchain-core>=0.2,<0.3 numpy<2
langchain 0.3: langchain-core>=0.3 pydantic>=2.7.4
langchain-anthropic 0.3: langchain-core>=0.3
langchain-core 0.3: pydantic>=2.5.2
langchain-openai 0.2: openai>=1.40
langchain-openai 0.3: langchain-core>=0.3 openai>=1.58.1
matplotlib 3.10: python>=3.10
networkx 3.5: python>=3.11
numpy 2.1 2.2: python>=3.10
numpy 2.3: python>=3.11
mlflow 2.14: numpy<2
numba 0.58: numpy<1.27
numba 0.59: numpy<1.27
numba 0.60: numpy<2.1
numba 0.61: numpy<2.3
opencv-python 4.12: numpy>=2,<2.3
opencv-python-headless 4.12: numpy>=2,<2.3
pandas 2.1 2.2 2.3: numpy>=1.22.4
pandas 3: python>=3.11 numpy>=1.26
pydantic-settings 2.1 2.2 2.3 2.4 2.5 2.6: pydantic>=2
pydantic-settings 2.7 2.8: pydantic>=2.7
requests 2.26 2.27 2.28 2.29: urllib3<1.27
scikit-learn 1.3: numpy<2
scikit-learn 1.5 1.6: numpy>=1.19.5
scikit-learn 1.7: python>=3.10 numpy>=1.22
scipy 1.11: numpy<1.28
scipy 1.12: numpy<1.29
scipy 1.13 1.14: numpy<2.3
scipy 1.15: python>=3.10 numpy<2.5
scipy 1.16: python>=3.11
sentence-transformers 2.7: transformers<5
sentence-transformers 3.3 3.4 4 5.0: transformers>=4.41,<5
sqlmodel 0.0.16: sqlalchemy>=2,<2.1
spacy 3.7: numpy<2
spacy 3.8.2 3.8.3 3.8.4: python<3.13
streamlit 1.36: pillow<11 protobuf<6 pandas<3
streamlit 1.40 1.41 1.42 1.43 1.44 1.45 1.46 1.47 1.48 1.49 1.50: pandas<3
tensorflow 2.15: keras>=2.15,<2.16 numpy<2
tensorflow 2.16 2.17: numpy<2
transformers 4.40 4.41 4.42 4.43 4.44: huggingface-hub>=0.19.3,<1 tokenizers>=0.19,<0.20
transformers 4.45 4.46: huggingface-hub>=0.23.2,<1 tokenizers>=0.20,<0.21
transformers 4.47 4.48: huggingface-hub>=0.24,<1 tokenizers>=0.21,<0.22
transformers 4.49 4.50: huggingface-hub>=0.26,<1 tokenizers>=0.21,<0.22
transformers 4.51 4.52 4.53: huggingface-hub>=0.30,<1 tokenizers>=0.21,<0.22
transformers 4.57: huggingface-hub>=0.34,<1
xformers 0.0.27: torch==2.3.1
vllm 0.6.3: torch==2.4.0 numpy<2
vllm 0.6.4 0.6.5 0.6.6 0.7: torch==2.5.1 numpy<2
vllm 0.8: torch==2.6.0
vllm 0.9: torch==2.7.0
vllm 0.10.0 0.10.1: torch==2.7.1
`;

/** Each release of torch has one of torchvision and of torchaudio. */
const ofTorch = Array.from({ length: 9 }, (_, minor) =>
  [`torchvision 0.${15 + minor}`, `torchaudio 2.${minor}`].map((each) => `${each}: torch>=2.${minor},<2.${minor + 1}`),
).flat();

/** Since 1.33, each release of boto3 has one of botocore. */
const ofBoto = Array.from({ length: 20 }, (_, at) => `boto3 1.${33 + at}: botocore>=1.${33 + at},<1.${34 + at}`);

const declared = once(() => [...table.split('\n'), ...ofTorch, ...ofBoto]);

/** Pins that do not go with what pip installs beside them today, although nothing bounds that. */
const unbound = `
flask <2.2.5: werkzeug<3
torch <2.3: numpy<2
transformers <4.30: numpy<2
openai >=1,<1.55.3: httpx<0.28
opencv-python <4.10.0.84: numpy<2
opencv-python-headless <4.10.0.84: numpy<2
opencv-contrib-python <4.10.0.84: numpy<2
diffusers <0.29: huggingface-hub<0.26
gradio <4.0: pydantic<2.11
pandas <2.2.2: numpy<2
scipy <1.13: numpy<2
passlib <1.7.5: bcrypt<5
`;

/** Another package, or Python, and what is needed of it. */
export interface Need {
  other: string;
  bound: string;
}

/** What the first row says that is for a version of a package. */
function rowFor(rows: readonly string[], name: string, isFor: (versions: string) => boolean): Need[] {
  const row = rows.find((each) => each.startsWith(`${name} `) && isFor(each.slice(name.length + 1).replace(/:.*/, '')));
  const needs = row?.replace(/^.*: /, '').matchAll(/([a-z-]+)(\S+)/g) ?? [];
  return [...needs].map(([, other = '', bound = '']) => ({ other, bound }));
}

/** What a version of a package needs of Python and of other packages. */
export const needsOf = (name: string, version: string): Need[] =>
  rowFor(declared(), name, (starts) => starts.split(' ').some((start) => `${version}.`.startsWith(`${start}.`)));

export const unboundNeedOf = (name: string, version: string): Need | undefined =>
  rowFor(unbound.split('\n'), name, (range) => satisfies(`${version}.0.0.0`, range))[0];
