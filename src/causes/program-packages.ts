import { groupsOf } from '../kernel/groups.ts';
import { onceFor } from '../kernel/once.ts';

/** The Debian packages of programs that apps start, for programs that Python packages do not bring. Without one, it has the name. */
const packages = `
  7z=p7zip-full aclocal=automake add-apt-repository=software-properties-common antiword aria2c=aria2 autoconf autoreconf=autoconf
  aws=awscli bc bison bzip2 cargo catdoc chromedriver=chromium-driver chromium cmake convert=imagemagick crontab=cron
  curl dig=dnsutils dos2unix dot=graphviz envsubst=gettext-base espeak=espeak-ng espeak-ng
  exiftool=libimage-exiftool-perl ffmpeg ffplay=ffmpeg ffprobe=ffmpeg file flac flex free=procps g++=build-essential
  gawk gcc=build-essential gdal-config=libgdal-dev gfortran git git-lfs go=golang gosu gpg=gnupg gs=ghostscript
  gunzip=gzip hg=mercurial hostname htop identify=imagemagick ifconfig=net-tools inkscape ip=iproute2
  java=default-jre-headless jq killall=psmisc lame libreoffice libtoolize=libtool locale-gen=locales
  lsb_release=lsb-release lsof lz4 make=build-essential mediainfo memcached meson mysql=default-mysql-client
  mysqladmin=default-mysql-client mysqldump=default-mysql-client nano nc=netcat-openbsd netstat=net-tools nginx
  ninja=ninja-build node=nodejs npm npx=npm nslookup=dnsutils openssl pandoc parallel patch patchelf
  pdfinfo=poppler-utils pdflatex=texlive-latex-base pdftoppm=poppler-utils pdftotext=poppler-utils
  pg_dump=postgresql-client pg_isready=postgresql-client pigz ping=iputils-ping pip=python3-pip pip3=python3-pip
  pkg-config pkill=procps poppler=poppler-utils protoc=protobuf-compiler ps=procps psql=postgresql-client
  python=python-is-python3 python3 qpdf redis-cli=redis-tools rsync rustc screen soffice=libreoffice sox sqlite3
  ssh=openssh-client sudo supervisord=supervisor svn=subversion swig telnet tesseract=tesseract-ocr tini tmux
  top=procps tree unrar=unrar-free unzip vim wget wkhtmltopdf xmllint=libxml2-utils xvfb xvfb-run=xvfb xz=xz-utils zip
  zstd
`;

/** `poppler-utils` for `pdftoppm`; undefined if it is not known. */
export function debianPackageOfProgram(program: string): string | undefined {
  return tableOf(packages).find(([name]) => name === program.toLowerCase())?.[1];
}

/** The packages of PyPI whose programs apps start. Others have the name of a program that they are not, such as docker. */
const pythonPackages = `
  accelerate airflow=apache-airflow alembic arq bentoml celery chainlit dagster daphne deepspeed django-admin=django
  dramatiq fastapi=fastapi[standard] flask gdown granian gunicorn hf=huggingface-hub huggingface-cli=huggingface-hub
  honcho hypercorn jupyter jupyter-lab=jupyterlab litellm mlflow pipenv playwright poetry prefect pytest ray rq sanic
  scrapy spacy streamlit tensorboard torchrun=torch uv uvicorn vllm waitress-serve=waitress watchfiles yt-dlp
`;

/** `uvicorn` for `uvicorn`, `torch` for `torchrun`; undefined if it is not known. */
export function pythonPackageOfProgram(program: string): string | undefined {
  return tableOf(pythonPackages).find(([name]) => name === program)?.[1];
}

/** What packages of Node bring, most of them as devDependencies. */
export const isNodeProgram = (program: string) =>
  /^(?:tsc|nest|next|vite|cross-env|rimraf|ts-node|nodemon|webpack|react-scripts|prisma|ng|tsx|turbo|nuxt|astro|husky|gulp|vue-cli-service|concurrently|pm2|serve)$/.test(
    program,
  );

/** The Debian packages of shared libraries, by how their names begin: those that Python packages load but do not bring. */
const libraries = `
  cairo=libcairo2 gobject-2.0=libpangoft2-1.0-0 libaio=libaio1 libarchive.so=libarchive13 libasound=libasound2
  libatk-1.0=libatk1.0-0 libatk-bridge=libatk-bridge2.0-0 libatlas=libatlas3-base libatomic.so=libatomic1
  libavcodec=ffmpeg libavdevice=ffmpeg libavfilter=ffmpeg libavformat=ffmpeg libavutil=ffmpeg libblas.so=libblas3
  libbz2=libbz2-1.0 libcairo=libcairo2 libcblas=libatlas3-base libcrypt.so.1=libcrypt1 libcups=libcups2
  libcurl.so=libcurl4 libdbus-1=libdbus-1-3 libdrm=libdrm2 libEGL.so=libegl1 libenchant=libenchant-2-2
  libespeak=libespeak1 libexpat=libexpat1 libf77blas=libatlas3-base libffi.so=libffi8 libfluidsynth=libfluidsynth3
  libfontconfig=libfontconfig1 libfreetype=libfreetype6 libgbm=libgbm1 libgcc_s=libgcc-s1 libgdal.so=libgdal-dev
  libgdk_pixbuf=libgdk-pixbuf-2.0-0 libgeos_c=libgeos-c1v5 libgfortran.so=libgfortran5 libgio-2.0=libglib2.0-0
  libGL.so=libgl1 libGLESv2=libgles2 libglib-2.0=libglib2.0-0 libGLU.so=libglu1-mesa libgobject-2.0=libglib2.0-0
  libgomp.so=libgomp1 libgraphviz=graphviz libgssapi_krb5=libgssapi-krb5-2 libgthread-2.0=libglib2.0-0
  libgtk-3=libgtk-3-0 libharfbuzz=libharfbuzz0b libhdf5=libhdf5-dev libibverbs=libibverbs1 libICE.so=libice6
  libicu=libicu-dev libjemalloc=libjemalloc2 libjpeg=libjpeg62-turbo libkrb5=libkrb5-3 liblapack.so=liblapack3
  libldap=libldap-2.5-0 libleveldb=libleveldb-dev liblzma=liblzma5 libmagic=libmagic1 libmariadb=libmariadb3
  libmecab=libmecab2 libmediainfo=libmediainfo0v5 libmpi.so=libopenmpi3 libmupdf=mupdf
  libmysqlclient=default-libmysqlclient-dev libncurses=libncurses6 libnspr4 libnss3 libnuma.so=libnuma1
  libodbc.so=unixodbc libopenblas=libopenblas0 libOpenCL=ocl-icd-libopencl1 libopenjp2=libopenjp2-7
  libOSMesa=libosmesa6 libpango=libpango-1.0-0 libpng16=libpng16-16 libportaudio=libportaudio2 libpq.so=libpq5
  libproj.so=libproj-dev libpulse=libpulse0 librdkafka=librdkafka1 libre2=libre2-dev libreadline=libreadline8
  libsasl2=libsasl2-2 libSDL2=libsdl2-2.0-0 libSM.so=libsm6 libsnappy=libsnappy1v5 libsndfile=libsndfile1
  libsodium=libsodium23 libsox=libsox3 libspatialindex=libspatialindex-c6 libsqlite3=libsqlite3-0 libssl.so.3=libssl3
  libstdc++=libstdc++6 libswresample=ffmpeg libswscale=ffmpeg libtbb.so=libtbb12 libtcmalloc=libgoogle-perftools4
  libtesseract=tesseract-ocr libtiff=libtiff6 libtinfo.so.5=libtinfo5 libtinfo.so.6=libtinfo6 libtk8.6
  libusb=libusb-1.0-0 libv4l=libv4l-0 libvips=libvips42 libvulkan=libvulkan1 libwayland-client=libwayland-client0
  libwebp.so=libwebp7 libX11-xcb=libx11-xcb1 libX11.so=libx11-6 libxcb-xinerama=libxcb-xinerama0 libxcb.so=libxcb1
  libXcomposite=libxcomposite1 libXdamage=libxdamage1 libXext.so=libxext6 libXfixes=libxfixes3 libXft=libxft2
  libXi.so=libxi6 libxkbcommon=libxkbcommon0 libxml2 libXrandr=libxrandr2 libXrender.so=libxrender1
  libxshmfence=libxshmfence1 libxslt=libxslt1.1 libXtst=libxtst6 libyaml=libyaml-0-2 libz.so=zlib1g libzbar=libzbar0
  libzmq=libzmq5 pango-1.0=libpangoft2-1.0-0 PortAudio=libportaudio2 portaudio=libportaudio2 sndfile=libsndfile1
  zbar=libzbar0
`;

/** `libgl1` for `libGL.so.1`, and `libwebp6` for `libwebp.so.6`: their number is that of the file. Undefined if it is not known. */
export function debianPackageOf(library: string): string | undefined {
  const listed = tableOf(libraries).find(([name]) => library.startsWith(name))?.[1];
  const [, name = '', number = ''] = groupsOf(/^(lib[^.]{1,40})\.so\.(\d{1,3})\b/, library);
  return listed !== undefined && listed.replace(/\d+$/, '') === name.toLowerCase()
    ? `${name.toLowerCase()}${number}`
    : listed;
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

const tables = new Map<string, [name: string, found: string][]>();

const tableOf = (text: string): [name: string, found: string][] =>
  onceFor(tables, text, () =>
    text
      .trim()
      .split(/\s+/)
      .map((entry) => {
        const [name = '', found = name] = entry.split('=');
        return [name, found];
      }),
  );

/** Packages of Debian that are known here. */
export function aptPackages(): ReadonlySet<string> {
  return new Set([...tableOf(packages), ...tableOf(libraries)].map(([, found]) => found));
}
