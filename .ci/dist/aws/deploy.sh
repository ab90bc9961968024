#!/usr/bin/env bash
# Puts this release of Ruri Reader onto AWS, or updates it, with the AWS CLI alone:
#
#     ./deploy.sh STACK [PARAMETER=VALUE]...        for example ./deploy.sh ruri AlarmEmail=you@example.com
#
# Credentials and region come from where the AWS CLI takes them (AWS_PROFILE, AWS_REGION). Parameters are those of
# template.yaml; what was given earlier stays. ARTIFACTS names a bucket for the uploads, which is made if it is missing.
set -euo pipefail
cd "$(dirname "$0")"
say() { printf 'deploy: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

[[ ${1-} =~ ^[A-Za-z][A-Za-z0-9-]*$ ]] || die "usage: ./deploy.sh STACK [PARAMETER=VALUE]..."
stack=$1
shift
command -v aws >/dev/null || die "the AWS CLI is missing: https://aws.amazon.com/cli/"
export AWS_PAGER=
region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region || true)}}
[ -n "$region" ] || die "no region is known: set AWS_REGION"
export AWS_REGION=$region AWS_DEFAULT_REGION=$region
account=$(aws sts get-caller-identity --query Account --output text) || die "sign in first: aws configure, or aws sso login"

bucket=${ARTIFACTS:-ruri-artifacts-$account-$region}
aws s3api head-bucket --bucket "$bucket" >/dev/null 2>&1 || aws s3 mb "s3://$bucket" >/dev/null
packaged=$(mktemp)
trap 'rm -f "$packaged"' EXIT
aws cloudformation package --template-file template.yaml --s3-bucket "$bucket" --s3-prefix "$stack" \
  --output-template-file "$packaged" >/dev/null
say "creating or updating the stack $stack in $region; the first time takes some minutes"
aws cloudformation deploy --template-file "$packaged" --stack-name "$stack" --s3-bucket "$bucket" --s3-prefix "$stack" \
  --capabilities CAPABILITY_IAM --no-fail-on-empty-changeset --tags app=ruri ${1:+--parameter-overrides "$@"}

resource() {
  aws cloudformation describe-stack-resources --stack-name "$stack" --output text \
    --query "StackResources[?LogicalResourceId=='$1'].PhysicalResourceId"
}
page=$(resource PageBucket)
[ -n "$page" ] || die "$stack has no bucket for the page: is it a stack of Ruri Reader?"

# Files of one kind go up together; the index, which names the others, is in the last group. Those of older releases
# stay: a page that is open somewhere still loads them.
while IFS=$'\t' read -r type cache; do
  names=()
  while IFS=$'\t' read -r name t c; do
    [ "$t $c" != "$type $cache" ] || names+=(--include "$name")
  done <page.tsv
  aws s3 cp page "s3://$page" --recursive --exclude '*' "${names[@]}" --content-type "$type" --cache-control "$cache" \
    --only-show-errors
done < <(awk -F'\t' '{ last[$2 "\t" $3] = NR } END { for (k in last) print last[k] "\t" k }' page.tsv | sort -n | cut -f2-)
say "the page has $(wc -l <page.tsv) files in $page"

distribution=$(resource Distribution)
if [ -n "$distribution" ]; then
  # Only what has no hash in its name ever changes.
  paths=(/)
  while IFS=$'\t' read -r name _ cache; do [[ $cache == *immutable* ]] || paths+=("/$name"); done <page.tsv
  aws cloudfront create-invalidation --distribution-id "$distribution" --paths "${paths[@]}" >/dev/null
fi
url=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
  --query "Stacks[0].Outputs[?OutputKey=='Url'].OutputValue")
say "Ruri Reader is at $url"
say "to sign in as the owner: ruri link --home aws:$stack@$region"
