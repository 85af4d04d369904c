#!/usr/bin/env bash
# Starts a PostgreSQL server with pgvector for the tests, on Debian, in about ten seconds. As root it installs missing
# packages, including pgbouncer, which tests start themselves.
#
#   export TEST_DATABASE_URL=$(scripts/postgres-for-tests.sh start [FOLDER])
#   scripts/postgres-for-tests.sh stop [FOLDER]
#
# Debian has no pgvector for its PostgreSQL 15, so the source package of the next release is compiled. The server is
# a private copy in FOLDER with disposable data: it listens on a free port of 127.0.0.1, needs no password, and doesn't
# sync to disk.
set -euo pipefail

verb=${1:-}
folder=${2:-${TMPDIR:-/tmp}/mira-postgres-$(id -u)}
say() { echo "$*" >&2; }
die() { say "$*"; exit 1; }

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

is_running() { [ -f "$folder/data/postmaster.pid" ] && as_postgres "$bin/pg_ctl" -D "$folder/data" status >/dev/null 2>&1; }

install_missing() {
  local missing=()
  ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing+=(postgresql)
  command -v gcc >/dev/null || missing+=(gcc)
  [ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
  command -v pgbouncer >/dev/null || missing+=(pgbouncer)
  # The package lists are needed to find the source package, even when nothing has to be installed.
  if [ -z "$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null)" ] ||
    ! apt-cache show postgresql-server-dev-all >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || die 'The package lists are empty. Run apt-get update as root first.'
    apt-get -qq update >&2
  fi
  [ ${#missing[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] || die "Missing: ${missing[*]}. Install them as root first."
  say "Installing ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >"$folder/install.log" 2>&1 ||
    { tail -n 20 "$folder/install.log" >&2; die 'apt-get install failed.'; }
}

build() {
  local work=$folder/build site apt source
  mkdir -p "$work"/lists/partial "$work"/cache/archives/partial
  cd "$work"
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | awk '/\/debian$/ { site = $0 } END { print site }')
  [ -n "$site" ] || die 'No Debian archive is configured.'
  printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$site" >trixie.sources
  apt=(-qq -o "Dir::Etc::sourcelist=$work/trixie.sources" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
  say "Compiling pgvector for PostgreSQL $version"
  apt-get "${apt[@]}" update
  apt-get "${apt[@]}" source --download-only pgvector
  tar xzf pgvector_*.orig.tar.gz
  source=$(ls -d pgvector-*/)
  # Only the headers: installing the package would pull in clang and LLVM.
  apt-get -qq -o APT::Sandbox::User= download "postgresql-server-dev-$version"
  dpkg -x postgresql-server-dev-*.deb headers
  cd "$source"
  gcc -O2 -ftree-vectorize -fassociative-math -fno-signed-zeros -fno-trapping-math -fno-math-errno -fPIC -shared -w \
    -I"$work/headers/usr/include/postgresql/$version/server" -I"$work/headers/usr/include/postgresql/internal" -Isrc \
    -o vector.so src/*.c
  local pgvector root=$folder/root.new
  pgvector=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" vector.control)
  rm -rf "$root" && mkdir -p "$root/usr/lib/postgresql" "$root/usr/share/postgresql"
  # PostgreSQL finds its files relative to its executable, so a copy of both folders is an independent server.
  cp -a "/usr/lib/postgresql/$version" "$root/usr/lib/postgresql/"
  cp -aL "/usr/share/postgresql/$version" "$root/usr/share/postgresql/"
  cp vector.so "$root/usr/lib/postgresql/$version/lib/"
  cp vector.control sql/vector--*.sql "$root/usr/share/postgresql/$version/extension/"
  cp sql/vector.sql "$root/usr/share/postgresql/$version/extension/vector--$pgvector.sql"
  cd "$folder"
  mv "$root" "$folder/root"
  rm -rf "$work"
}

free_port() {
  local port
  for _ in $(seq 50); do
    port=$((20000 + RANDOM % 30000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  die 'No free port was found.'
}

start() {
  mkdir -p "$folder"
  [ -O "$folder" ] || die "$folder belongs to another user."
  folder=$(cd "$folder" && pwd)
  chmod 755 "$folder"
  install_missing
  version=$(ls /usr/lib/postgresql | sort -n | tail -1)
  bin=$folder/root/usr/lib/postgresql/$version/bin
  [ -x "$bin/postgres" ] || build
  if ! is_running; then
    rm -rf "$folder/data" "$folder/socket"
    mkdir "$folder/data" "$folder/socket"
    [ "$(id -u)" = 0 ] && chown postgres "$folder/data" "$folder/socket"
    as_postgres "$bin/initdb" -D "$folder/data" -U mira -A trust --no-sync -E UTF8 --locale=C.UTF-8 >"$folder/initdb.log"
    port=$(free_port)
    cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder/socket'
max_connections = 200
fsync = off
synchronous_commit = off
full_page_writes = off
jit = off
CONF
    as_postgres "$bin/pg_ctl" -D "$folder/data" -l "$folder/data/server.log" -w start >&2 ||
      { tail -n 20 "$folder/data/server.log" >&2; die 'PostgreSQL does not start.'; }
  fi
  echo "postgresql://mira@127.0.0.1:$(sed -n 4p "$folder/data/postmaster.pid")/postgres"
}

stop() {
  bin=$(ls -d "$folder"/root/usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
  [ -n "$bin" ] || die "There is no server in $folder."
  if is_running; then as_postgres "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >&2; fi
  rm -rf "$folder/data" "$folder/socket"
}

case $verb in
  start) start ;;
  stop) stop ;;
  *) die 'Usage: postgres-for-tests.sh start|stop [FOLDER]' ;;
esac
