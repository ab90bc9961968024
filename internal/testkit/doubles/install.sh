#!/bin/sh
# Installs the protocol doubles (dynalite, fauxqs, oidc-provider, moto) under .tools/ of the repository: packages pinned by
# package-lock.json and requirements.txt beside this script. Does nothing when they are already there, and
# may be run by several at once. Needs Node 20+ with npm and Python 3.11+.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
tools=$(CDPATH= cd -- "$here/../../.." && pwd)/.tools
node_dir=$tools/doubles
venv=$tools/venv

say() { printf 'doubles: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

sum() { cat "$@" | sha256sum | cut -d' ' -f1; }

# A stamp is written last, so an interrupted install is done again.
done_with() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

install_node() {
	want="$(sum "$here/package.json" "$here/package-lock.json" "$here/.npmrc")"
	done_with "$node_dir/.installed" "$want" && return 0
	command -v node >/dev/null 2>&1 || die "node is missing (20 or newer)"
	node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || die "node 20 or newer is needed, found $(node --version)"
	say "installing dynalite, fauxqs and oidc-provider"
	mkdir -p "$node_dir"
	rm -f "$node_dir/.installed"
	cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$node_dir/"
	(cd "$node_dir" && npm ci --loglevel=error >&2) || die "npm ci failed"
	printf '%s' "$want" >"$node_dir/.installed"
}

python() {
	for p in python3 python3.14 python3.13 python3.12 python3.11; do
		if command -v "$p" >/dev/null 2>&1 && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
			echo "$p"
			return 0
		fi
	done
	return 1
}

make_venv() {
	"$1" -m venv --clear "$venv" >&2 && return 0
	# Debian splits ensurepip off into a package of its own.
	command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] || die "python's venv module does not work here"
	say "installing python3-venv"
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >&2
	"$1" -m venv --clear "$venv" >&2
}

install_python() {
	py=$(python) || die "python 3.11 or newer is missing"
	want="$(sum "$here/requirements.txt") $("$py" -V)"
	done_with "$venv/.doubles-installed" "$want" && return 0
	say "installing moto"
	make_venv "$py"
	# Python compiles a module when it is first imported.
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r "$here/requirements.txt" >&2 ||
		die "pip install failed"
	printf '%s' "$want" >"$venv/.doubles-installed"
}

mkdir -p "$tools"
if [ "${1-}" != --locked ] && command -v flock >/dev/null 2>&1; then
	exec flock "$tools/.doubles.lock" "$0" --locked
fi
install_node
install_python
