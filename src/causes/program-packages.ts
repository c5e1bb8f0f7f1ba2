/** The Debian packages of programs that apps start, for programs that Python packages do not bring. Without one, it has the name. */
const packages = `
  aria2c=aria2 bzip2 cargo chromedriver=chromium-driver chromium cmake convert=imagemagick curl dig=dnsutils
  dot=graphviz envsubst=gettext-base espeak-ng espeak=espeak-ng exiftool=libimage-exiftool-perl ffmpeg ffprobe=ffmpeg
  flac g++=build-essential gcc=build-essential git git-lfs go=golang gpg=gnupg gs=ghostscript gunzip=gzip
  hostname identify=imagemagick ifconfig=net-tools inkscape ip=iproute2 java=default-jre-headless jq lame libreoffice
  lsof make=build-essential mediainfo mysql=default-mysql-client mysqldump=default-mysql-client nano nc=netcat-openbsd
  netstat=net-tools nginx ninja=ninja-build node=nodejs npm npx=npm nslookup=dnsutils openssl pandoc
  pdfinfo=poppler-utils pdftoppm=poppler-utils pdftotext=poppler-utils pg_isready=postgresql-client ping=iputils-ping
  pkg-config poppler=poppler-utils ps=procps psql=postgresql-client qpdf redis-cli=redis-tools rsync rustc
  soffice=libreoffice sox sqlite3 ssh=openssh-client sudo supervisord=supervisor telnet tesseract=tesseract-ocr unzip
  vim wget wkhtmltopdf xvfb xvfb-run=xvfb xz=xz-utils zip
`;

/** `poppler-utils` for `pdftoppm`; undefined if it is not known. */
export function debianPackageOfProgram(program: string): string | undefined {
  return tableOf(packages).find(([name]) => name === program.toLowerCase())?.[1];
}

/** The packages of PyPI whose programs apps start. Others have the name of a program that they are not, such as docker. */
const pythonPackages = `
  accelerate alembic celery daphne django-admin=django fastapi=fastapi[standard] flask gunicorn hf=huggingface-hub
  huggingface-cli=huggingface-hub hypercorn jupyter mlflow playwright poetry pytest ray streamlit torchrun=torch uv
  uvicorn vllm
`;

/** `uvicorn` for `uvicorn`, `torch` for `torchrun`; undefined if it is not known. */
export function pythonPackageOfProgram(program: string): string | undefined {
  return tableOf(pythonPackages).find(([name]) => name === program)?.[1];
}

/** The Debian packages of shared libraries, by how their names begin: those that Python packages load but do not bring. */
const libraries = `
  PortAudio=libportaudio2 cairo=libcairo2 libEGL.so=libegl1 libGL.so=libgl1 libICE.so=libice6
  libOpenCL=ocl-icd-libopencl1 libSM.so=libsm6 libX11-xcb=libx11-xcb1 libX11.so=libx11-6 libXcomposite=libxcomposite1
  libXdamage=libxdamage1 libXext.so=libxext6 libXfixes=libxfixes3 libXft=libxft2 libXi.so=libxi6 libXrandr=libxrandr2
  libXrender.so=libxrender1 libXtst=libxtst6 libaio=libaio1 libasound=libasound2 libatk-1.0=libatk1.0-0
  libatk-bridge=libatk-bridge2.0-0 libatomic.so=libatomic1 libavcodec=ffmpeg libavdevice=ffmpeg libavfilter=ffmpeg
  libavformat=ffmpeg libavutil=ffmpeg libblas.so=libblas3 libbz2=libbz2-1.0 libcairo=libcairo2 libcrypt.so.1=libcrypt1
  libcups=libcups2 libcurl.so=libcurl4 libdbus-1=libdbus-1-3 libdrm=libdrm2 libenchant=libenchant-2-2
  libespeak=libespeak1 libexpat=libexpat1 libffi.so.8=libffi8 libfluidsynth=libfluidsynth3
  libfontconfig=libfontconfig1 libfreetype=libfreetype6 libgbm=libgbm1 libgdk_pixbuf=libgdk-pixbuf-2.0-0
  libgeos_c=libgeos-c1v5 libgfortran.so=libgfortran5 libgio-2.0=libglib2.0-0 libglib-2.0=libglib2.0-0
  libgobject-2.0=libglib2.0-0 libgomp.so=libgomp1 libgraphviz=graphviz libgssapi_krb5=libgssapi-krb5-2
  libgthread-2.0=libglib2.0-0 libgtk-3=libgtk-3-0 libharfbuzz=libharfbuzz0b libjemalloc=libjemalloc2 libkrb5=libkrb5-3
  liblapack.so=liblapack3 liblzma=liblzma5 libmagic=libmagic1 libmariadb=libmariadb3 libmediainfo=libmediainfo0v5
  libmpi.so=libopenmpi3 libmupdf=mupdf libmysqlclient=default-libmysqlclient-dev libnspr4 libnss3 libnuma.so=libnuma1
  libodbc.so=unixodbc libopenblas=libopenblas0 libopenjp2=libopenjp2-7 libpango=libpango-1.0-0
  libportaudio=libportaudio2 libpq.so=libpq5 libsasl2=libsasl2-2 libsndfile=libsndfile1 libsodium=libsodium23
  libsox=libsox3 libspatialindex=libspatialindex-c6 libsqlite3=libsqlite3-0 libssl.so.3=libssl3 libstdc++=libstdc++6
  libswresample=ffmpeg libswscale=ffmpeg libtbb.so=libtbb12 libtcmalloc=libgoogle-perftools4
  libtesseract=tesseract-ocr libtk8.6 libusb=libusb-1.0-0 libvips=libvips42 libvulkan=libvulkan1 libwebp.so=libwebp7
  libxcb.so=libxcb1 libxkbcommon=libxkbcommon0 libxml2 libxslt=libxslt1.1 libz.so=zlib1g libzbar=libzbar0
  libzmq=libzmq5 portaudio=libportaudio2 sndfile=libsndfile1 zbar=libzbar0
`;

/** `libgl1` for `libGL.so.1`; undefined if it is not known. */
export function debianPackageOf(library: string): string | undefined {
  return tableOf(libraries).find(([name]) => library.startsWith(name))?.[1];
}

/** The Debian packages of headers, and of libraries as pkg-config calls them, by how their names begin. */
const headers = `
  Eigen/=libeigen3-dev GL/=libgl1-mesa-dev Python.h=python3-dev X11/=libx11-dev alsa/=libasound2-dev
  archive.h=libarchive-dev assert.h=build-essential bzlib.h=libbz2-dev cairo=libcairo2-dev cblas.h=libopenblas-dev
  crt1.o=build-essential cups/=libcups2-dev curl/=libcurl4-openssl-dev dbus=libdbus-1-dev ffi.h=libffi-dev
  ft2build.h=libfreetype-dev geos_c.h=libgeos-dev girepository=libgirepository1.0-dev git2.h=libgit2-dev
  glib=libglib2.0-dev gmp.h=libgmp-dev gobject-introspection=libgirepository1.0-dev graphviz/=libgraphviz-dev
  gssapi=libkrb5-dev hdf5.h=libhdf5-dev infiniband/=libibverbs-dev jpeglib.h=libjpeg-dev krb5=libkrb5-dev
  lber.h=libldap-dev ldap.h=libldap-dev libav=libavformat-dev libffi=libffi-dev libpq-fe.h=libpq-dev
  librdkafka/=librdkafka-dev libsw=libswscale-dev libsystemd=libsystemd-dev libusb=libusb-1.0-0-dev
  libxml/=libxml2-dev libxslt/=libxslt1-dev limits.h=build-essential linux/=linux-libc-dev lzma.h=liblzma-dev
  magic.h=libmagic-dev mpfr.h=libmpfr-dev mpi.h=libopenmpi-dev mysql=default-libmysqlclient-dev ncurses=libncurses-dev
  numa.h=libnuma-dev openblas=libopenblas-dev openssl/=libssl-dev openssl=libssl-dev pango=libpango1.0-dev
  pg_config=libpq-dev pq=libpq-dev portaudio.h=portaudio19-dev pulse/=libpulse-dev sasl/=libsasl2-dev snappy=libsnappy-dev
  sndfile.h=libsndfile1-dev sodium.h=libsodium-dev sql.h=unixodbc-dev sqlite3.h=libsqlite3-dev
  stdint.h=build-essential stdio.h=build-essential stdlib.h=build-essential string.h=build-essential
  systemd/=libsystemd-dev tk.h=tk-dev vips=libvips-dev xmlsec1=libxmlsec1-dev yaml.h=libyaml-dev zlib=zlib1g-dev
  zmq.h=libzmq3-dev
`;

/** `libpq-dev` for `libpq-fe.h`; undefined if it is not known. */
export function debianPackageOfHeader(header: string): string | undefined {
  return tableOf(headers).find(([name]) => header.startsWith(name))?.[1];
}

const nodePrograms =
  /^(?:vite|next|nuxt|tsc|tsx|ts-node|react-scripts|webpack|rollup|nest|ng|nodemon|pm2|vue-cli-service|turbo|eslint|cross-env|rimraf|husky|prisma|yarn|pnpm|serve|craco|gulp|parcel|astro|remix|svelte-kit)$/;

/** Whether a package of npm brings the program. */
export function isNodeProgram(program: string): boolean {
  return nodePrograms.test(program);
}

const tables = new Map<string, [name: string, found: string][]>();

function tableOf(text: string): [name: string, found: string][] {
  const known = tables.get(text);
  if (known) return known;
  const rows = text.trim().split(/\s+/);
  const table = rows.map((entry): [name: string, found: string] => {
    const [name = '', found = name] = entry.split('=');
    return [name, found];
  });
  tables.set(text, table);
  return table;
}

/** Packages of Debian that are known here. */
export function aptPackages(): ReadonlySet<string> {
  return new Set([...tableOf(packages), ...tableOf(libraries)].map(([, found]) => found));
}
