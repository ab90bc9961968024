#!/usr/bin/env bash
# Writes into build/parts what a release has beside the compiled program: manual pages, completions, the file of settings,
# licences, and the parts for AWS. Called by `make dist`, which built the page and bin/ruri and sets VERSION, COMMIT_DATE
# and SOURCE_DATE_EPOCH.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/parts
rm -rf "$out"
mkdir -p "$out"/{man,completions,aws}

bin/ruri man "$out/man" >/dev/null
bin/ruri completion bash >"$out/completions/ruri.bash"
bin/ruri completion fish >"$out/completions/ruri.fish"
bin/ruri completion zsh >"$out/completions/_ruri"
bin/ruri completion powershell >"$out/completions/ruri.ps1"
go run ./.ci/dist >"$out/ruri.env"

# licence NAME FOLDER: the licence files of one module, or what its package.json says; one of them must be there.
licence() {
  local file found=
  printf '\n%s\n%s\n' "$1" "${1//?/=}"
  for file in "$2"/{LICEN[CS]E,Licen[cs]e,licen[cs]e,COPYING,NOTICE,UNLICENSE}*; do
    [ -f "$file" ] || continue
    found=1
    printf '\n'
    tr -d '\r' <"$file"
  done
  [ -n "$found" ] || grep '^  "license":' "$2/package.json" || { echo "dist: $1 has no licence in $2" >&2; exit 1; }
}

# Of Go the modules of the programs for all systems, of the page those that it is built from.
{
  echo "Ruri Reader contains the following software. Its own licence is in LICENSE."
  licence "Go's standard library" "$(go env GOROOT)"
  for os in linux darwin windows; do
    GOOS=$os go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}{{end}}{{end}}' \
      ./cmd/ruri ./functions/...
  done | LC_ALL=C sort -u | while IFS=$'\t' read -r name folder; do licence "$name" "$folder"; done
  (cd web && npm ls --package-lock-only --omit=dev --omit=peer --all --parseable --long) | LC_ALL=C sort -u |
    while IFS=: read -r folder name; do
      [[ $folder != */node_modules/* || $folder = */node_modules/@types/* ]] || licence "$name (page)" "$folder"
    done
} >"$out/THIRD-PARTY-LICENCES.txt"

# The template names the zips beside it, which `aws cloudformation package` uploads; one time in all of them.
functions='Orchestrator Crawler Api'
awk -v functions="$functions" '
  BEGIN { for (n = split(functions, f, " "); n; n--) zip[f[n] "Function"] = tolower(f[n]) ".zip" }
  /^    CodeUri: \.$/ { next }
  /^    Metadata:$/ && (name in zip) { skip = 1; next }
  skip && /^      BuildMethod: makefile$/ { skip = 0; next }
  /^  [A-Za-z]+:$/ { name = substr($1, 1, length($1) - 1) }
  { print }
  /^    Properties:$/ && (name in zip) { print "      CodeUri: " zip[name] }
' template.yaml >"$out/aws/template.yaml"
for name in $functions; do
  grep -q "CodeUri: ${name,,}.zip" "$out/aws/template.yaml" || { echo "dist: the template has no ${name}Function" >&2; exit 1; }
  python3 - "build/lambda/arm64/${name,,}/bootstrap" "$out/aws/${name,,}.zip" <<'PY'
import os, sys, time, zipfile

entry = zipfile.ZipInfo("bootstrap", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6])
entry.external_attr = 0o100755 << 16
entry.compress_type = zipfile.ZIP_DEFLATED
with open(sys.argv[1], "rb") as bootstrap, zipfile.ZipFile(sys.argv[2], "w") as archive:
    archive.writestr(entry, bootstrap.read(), compresslevel=9)
PY
done
cp .ci/dist/aws/deploy.sh "$out/aws/"
cp -r internal/assets/webui/dist "$out/aws/page"
# The page's files in the order of uploading: name, type, cache control.
go run ./.ci/page "$out/aws/page" | python3 -c '
import json, sys
for f in json.load(sys.stdin):
    print(f["name"], f["contentType"], f["cacheControl"], sep="\t")' >"$out/aws/page.tsv"
# What the single binary alone serves stays out.
(cd "$out/aws/page" && find . -type f | cut -c3- | grep -vxFf <(cut -f1 ../page.tsv) | tr '\n' '\0' | xargs -0 -r rm --)
find "$out/aws/page" -type d -empty -delete
