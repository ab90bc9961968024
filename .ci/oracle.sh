#!/usr/bin/env bash
# Runs the table's conformance suite against Amazon's DynamoDB Local. Its licence is for owners of an AWS account, so
# nothing of ours downloads, ships or needs it: put it into a folder yourself and name that in RURI_DYNAMODB_LOCAL.
# The suite finds DynamoDBLocal.jar in that folder and starts it on a free port.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${RURI_DYNAMODB_LOCAL-}
if [ -z "$dir" ] || [ ! -f "$dir/DynamoDBLocal.jar" ]; then
  echo "SKIPPED: DynamoDB Local is not here (RURI_DYNAMODB_LOCAL names no folder with DynamoDBLocal.jar)"
  exit 0
fi
command -v java >/dev/null || { echo "DynamoDB Local needs Java, which is missing"; exit 1; }
echo "DynamoDB Local $(sha256sum "$dir/DynamoDBLocal.jar")"
exec go run ./.ci/verify gotest -count=1 -run 'Oracle' ./internal/storage/table/...
