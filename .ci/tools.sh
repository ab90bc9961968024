#!/usr/bin/env bash
# Installs the pinned tools into .tools/: `.ci/tools.sh [lint|aws|doubles|web|browser|bench|apps|dist|docs]...`, all up to
# browser without an argument. What is there already is left alone (a stamp holds the hash of the pins and is written last, so an
# interrupted install is done again); several runs at once wait for each other.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tools=$root/.tools
mkdir -p "$tools/bin" "$tools/stamps"

say() { printf 'tools: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
hash_of() { cat "$@" | sha256sum | cut -d' ' -f1; }

# once NAME HASH COMMAND...: runs the command unless the stamp of NAME holds HASH.
once() {
  local stamp=$tools/stamps/$1 want=$2
  shift 2
  [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && return 0
  rm -f "$stamp"
  "$@"
  printf '%s' "$want" >"$stamp"
}

go_install() { # name package version
  say "building $1 $3"
  # GOTOOLCHAIN=local: never fetch another Go for a tool. GOFLAGS empty: the project's flags are not the tool's.
  GOTOOLCHAIN=local GOFLAGS= GOBIN=$tools/bin go install "$2@$3"
}

lint() {
  have go || die "Go 1.26 or newer is missing"
  # shellcheck source=/dev/null
  . .ci/versions.env
  local go_version
  go_version=$(go env GOVERSION)
  # The Go version is part of each stamp: linters built with an older Go refuse newer code.
  once golangci-lint "$GOLANGCI_LINT $go_version" go_install golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint "$GOLANGCI_LINT"
  once goimports "$GOIMPORTS $go_version" go_install goimports golang.org/x/tools/cmd/goimports "$GOIMPORTS"
  once govulncheck "$GOVULNCHECK $go_version" go_install govulncheck golang.org/x/vuln/cmd/govulncheck "$GOVULNCHECK"
}

find_python() {
  local p
  for p in python3 python3.14 python3.13 python3.12 python3.11; do
    have "$p" && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && { echo "$p"; return; }
  done
  return 1
}

apt_install() {
  [ "$(id -u)" = 0 ] && have apt-get || return 1
  say "apt-get install $*"
  DEBIAN_FRONTEND=noninteractive apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

make_aws_venv() {
  say "installing cfn-lint and the SAM CLI"
  # --no-compile: only a small part is used, and Python compiles that when it is first imported.
  "$1" -m venv --clear "$tools/aws" || { apt_install python3-venv && "$1" -m venv --clear "$tools/aws"; }
  "$tools/aws/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r .ci/requirements.txt
}

aws() {
  local py
  py=$(find_python) || die "Python 3.11 or newer is missing; it is needed for cfn-lint and the SAM CLI"
  once aws "$(hash_of .ci/requirements.txt) $("$py" -V)" make_aws_venv "$py"
}

doubles() {
  [ -x internal/testkit/doubles/install.sh ] || { say "internal/testkit/doubles/install.sh is not there: nothing to install"; return; }
  internal/testkit/doubles/install.sh
}

# Not `npm ci`: it refuses a lock that lacks the packages of other systems than the one it was written on (a registry
# that does not carry them leaves them out: they are optional). `npm install --no-save` takes what the lock pins and
# hashes, looks up only what this system needs beyond it, and writes nothing; `npm ls` first makes sure, as `npm ci`
# would, that lock and package.json agree.
npm_install() {
  say "installing the page's packages"
  local out
  out=$(cd web && npm ls --package-lock-only --loglevel=error 2>&1) ||
    die "web/package-lock.json does not fit web/package.json (run npm install in web/):"$'\n'"$(grep -E 'npm (ERR!|error)' <<<"$out")"
  (cd web && npm install --no-save --no-audit --no-fund --loglevel=error)
}

web() {
  [ -f web/package-lock.json ] || { say "web/package-lock.json is not there: nothing to install"; return; }
  have npm || die "Node 20 or newer with npm is missing; it builds the page"
  # node_modules gone means the stamp is worth nothing, whatever it says.
  [ -d web/node_modules ] || rm -f "$tools/stamps/web"
  once web "$(hash_of web/package.json web/package-lock.json) $(node --version)" npm_install
}

have_chromium() { have chromium || have chromium-browser || have google-chrome; }

# The headless shell is the same engine as Chromium and opens a new profile in a third of the time. It shows no
# notifications: their test needs the whole browser.
browser() {
  { have chromium-headless-shell && have_chromium; } || apt_install chromium-headless-shell chromium fonts-noto-cjk ||
    have chromium-headless-shell || have_chromium ||
    say "SKIPPED: no Chromium, and it cannot be installed here (needs root and apt-get): the browser tests will say so"
}

# Lighthouse is 176 MB and for `make bench-web` alone, so it has a folder and a lock file of its own. Its engines want
# the Node that comes with the page's packages. The figures are those of the whole browser.
bench() {
  have_chromium || apt_install chromium fonts-noto-cjk || die "Chromium is missing"
  [ -d web/bench/node_modules ] || rm -f "$tools/stamps/bench"
  once bench "$(hash_of web/bench/package.json web/bench/package-lock.json)" bench_install
}

bench_install() {
  say "installing Lighthouse"
  (cd web/bench && PATH=$root/web/node_modules/.bin:$PATH npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error)
}

# The reader apps of `make test-clients`, from Debian, and what drives them.
apps() {
  local missing=() p
  for p in newsboat rssguard liferea xvfb xdotool tmux dbus-daemon libglib2.0-bin; do
    dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p")
  done
  [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}" || die "these packages of Debian are missing, and only root can install them: ${missing[*]}"
  local py
  py=$(find_python) || die "Python 3.11 or newer is missing; it runs Miniflux's client"
  once apps "$(hash_of internal/testkit/realapps/requirements.txt) $("$py" -V)" make_apps_venv "$py"
}

make_apps_venv() {
  say "installing Miniflux's Python client"
  "$1" -m venv --clear "$tools/apps" || { apt_install python3-venv && "$1" -m venv --clear "$tools/apps"; }
  "$tools/apps/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r internal/testkit/realapps/requirements.txt
}

# What makes releases. The rest that checks them (buildah, nginx, caddy, rpm, systemd-analyze) comes from Debian, where
# it can; a check without its tool says that it was skipped.
dist() {
  have go || die "Go 1.26 or newer is missing"
  # shellcheck source=/dev/null
  . .ci/versions.env
  local go_version
  go_version=$(go env GOVERSION)
  once goreleaser "$GORELEASER $go_version" go_install goreleaser github.com/goreleaser/goreleaser/v2 "$GORELEASER"
  once actionlint "$ACTIONLINT $go_version" go_install actionlint github.com/rhysd/actionlint/cmd/actionlint "$ACTIONLINT"
  once cyclonedx-gomod "$CYCLONEDX_GOMOD $go_version" go_install cyclonedx-gomod \
    github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod "$CYCLONEDX_GOMOD"
}

# What makes docs/ a site.
docs() {
  local py
  py=$(find_python) || die "Python 3.11 or newer is missing; it builds the site of the documentation"
  once docs "$(hash_of .ci/docs/requirements.txt) $("$py" -V)" make_docs_venv "$py"
}

make_docs_venv() {
  say "installing mkdocs"
  "$1" -m venv --clear "$tools/docs" || { apt_install python3-venv && "$1" -m venv --clear "$tools/docs"; }
  "$tools/docs/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r .ci/docs/requirements.txt
}

[ $# -gt 0 ] || set -- lint aws doubles web browser
for part; do
  case $part in
    lint | aws | doubles | web | browser | bench | apps | dist | docs) ;;
    *) die "unknown part $part (lint, aws, doubles, web, browser, bench, apps, dist, docs)" ;;
  esac
  # One at a time of each part, so that several runs do not install over each other.
  if have flock; then
    (flock 9 && "$part") 9>"$tools/stamps/.$part.lock"
  else
    "$part"
  fi
done
