#!/usr/bin/env bash
# Lints template.yaml, without an account and without the network: cfn-lint on the template itself, `sam validate
# --lint`, and both the rule of least privilege and cfn-lint on what the serverless transform makes of it. What no tool
# notices is checked by internal/testkit/templatetest.
set -euo pipefail
cd "$(dirname "$0")/.."
export AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} SAM_CLI_TELEMETRY=0 AWS_EC2_METADATA_DISABLED=true
# A SAM CLI with no credentials at all looks for some; these are never used.
export AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID:-none} AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY:-none}
# cfn-lint once for each region that an owner is likely to choose: a resource type missing there is an error.
.tools/aws/bin/cfn-lint --non-zero-exit-code warning --regions us-east-1 ap-northeast-1 eu-central-1 -- template.yaml
echo "cfn-lint: clean"
.tools/aws/bin/sam validate --lint --config-file samconfig.toml --template-file template.yaml
translated=$(mktemp --suffix .json)
trap 'rm -f "$translated"' EXIT
.tools/aws/bin/python .ci/translated.py >"$translated"
# Errors alone: what it warns of is what the transform wrote, not we.
.tools/aws/bin/cfn-lint --non-zero-exit-code error --regions us-east-1 -- "$translated"
echo "translated: clean"
