/** The Debian package of a shared library, for libraries that Python packages load but do not bring. */
const packages: readonly (readonly [library: RegExp, debianPackage: string])[] = [
  [/^libGL\.so/, 'libgl1'],
  [/^libEGL\.so/, 'libegl1'],
  [/^libglib-2\.0|^libgthread-2\.0|^libgobject-2\.0/, 'libglib2.0-0'],
  [/^libSM\.so/, 'libsm6'],
  [/^libXext\.so/, 'libxext6'],
  [/^libXrender\.so/, 'libxrender1'],
  [/^libX11\.so/, 'libx11-6'],
  [/^libgomp\.so/, 'libgomp1'],
  [/^libsndfile|^sndfile$/, 'libsndfile1'],
  [/^libportaudio|^PortAudio$/i, 'libportaudio2'],
  [/^libpq\.so/, 'libpq5'],
  [/^libmagic/, 'libmagic1'],
  [/^(lib)?zbar/, 'libzbar0'],
  [/^(lib)?cairo/, 'libcairo2'],
  [/^libpango/, 'libpango-1.0-0'],
  [/^libopenblas/, 'libopenblas0'],
  [/^libxml2/, 'libxml2'],
  [/^libxslt/, 'libxslt1.1'],
  [/^libusb/, 'libusb-1.0-0'],
  [/^libcurl\.so/, 'libcurl4'],
  [/^libav(codec|format|util|filter|device)|^libsw(scale|resample)/, 'ffmpeg'],
];

/** `libgl1` for `libGL.so.1`; undefined if it is not known. */
export function debianPackageOf(library: string): string | undefined {
  return packages.find(([name]) => name.test(library))?.[1];
}
