#!/usr/bin/env bash
# Go formatting: `.ci/format.sh check` lists files that gofmt or goimports would change and fails; `fix` changes them.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.go' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
[ ${#files[@]} -gt 0 ] || exit 0
local_prefix=$(go list -m)
case ${1:-check} in
  fix)
    gofmt -s -w "${files[@]}"
    .tools/bin/goimports -local "$local_prefix" -w "${files[@]}"
    ;;
  check)
    bad=$({ gofmt -s -l "${files[@]}"; .tools/bin/goimports -local "$local_prefix" -l "${files[@]}"; } | sort -u)
    [ -z "$bad" ] || { printf 'not formatted (make fmt does it):\n%s\n' "$bad"; exit 1; }
    echo "${#files[@]} files formatted"
    ;;
  *) echo "usage: $0 check|fix" >&2; exit 2 ;;
esac
