#!/usr/bin/env bash
# Prints how large the repository is: lines of tracked files by kind, directories under internal/, words of the docs.
# `.ci/size.sh COMMIT` prints that of an earlier commit; lines of Go compare from 802fc1cc on, which broke long ones.
set -euo pipefail
cd "$(dirname "$0")/.."
at=${1:-HEAD}

# count UNIT WHAT PATTERN [EXCEPT]: lines (l) or words (w) of the tracked files whose path matches PATTERN and not EXCEPT.
count() {
  git ls-tree -r --name-only "$at" | grep -E "$3" | grep -vE "${4:-^$}" | sed "s|^|$at:|" | xargs -d '\n' git show | wc "-$1" |
    awk -v what="$2" '{ printf "%-36s %7d\n", what, $1 }'
}

count l "product Go, lines" '^(cmd|docs|functions|internal)/.*\.go$' '_test\.go$|^internal/testkit/'
count l "support Go (testkit, .ci), lines" '^(internal/testkit|\.ci)/.*\.go$' '_test\.go$'
count l "Go tests, lines" '_test\.go$'
count l "web, lines" '^web/src/.*\.(tsx?|css)$' '\.test\.tsx?$|api\.gen\.ts$'
count l "web tests, lines" '^web/(.*\.test\.tsx?|e2e/.*\.ts)$'
git ls-tree -r --name-only "$at" internal/ | awk -F/ 'NF > 2 && !seen[$2]++ { n++ } END { printf "%-36s %7d\n", "directories under internal/", n }'
# Without decisions, the reference of the API and the list of demands.
count w "docs, words" '^docs/.*\.md$' '^docs/(develop/decisions/|develop/demands|use/api|use/codes)'
