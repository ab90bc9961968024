#!/usr/bin/env bash
# make deploy, page, link, logs and destroy: `.ci/deploy.sh COMMAND STAGE` (dev, staging, prod). Stack, region and
# parameters of a stage lie in samconfig.toml (SAMCONFIG=FILE for another); AWS_REGION and AWS_PROFILE overrule it. What SAM can do, SAM does.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.tools/aws/bin/python
sam=.tools/aws/bin/sam
export SAM_CLI_TELEMETRY=0
build=${SAM_DIR:-.aws-sam/build}
config=$(realpath "${SAMCONFIG:-samconfig.toml}")
dist=$(realpath "${PAGE:-internal/assets/webui/dist}")

die() { printf 'deploy: %s\n' "$*" >&2; exit 1; }
aws() { "$python" .ci/aws.py "$@"; }

read_settings() { # into stack, region, profile, parameters, config_env
  settings=$(aws settings "$1" --config "$config")
  eval "$settings"
  stack=${STACK:-$stack}
  region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$region}}
  export AWS_REGION=$region AWS_DEFAULT_REGION=$region
  [ -n "$region" ] || unset AWS_REGION AWS_DEFAULT_REGION
  [ -z "$profile" ] || export AWS_PROFILE="${AWS_PROFILE:-$profile}"
}

confirm() { # the question, the word that means yes
  local answer=${CONFIRM-}
  if [ -z "$answer" ]; then
    [ -t 0 ] || die "nobody is here to ask; CONFIRM=$2 says yes"
    read -rp "$1 Type $2 to go on: " answer
  fi
  [ "$answer" = "$2" ] || die "nothing was done"
}

# The first deployment asks for everything and writes the answers into samconfig.toml; from then on it is known by
# its region, which the file as it comes does not have (GUIDED=1 asks again). Where nobody can be asked, what is not given is an error.
deploy() {
  local first=() arch=arm64
  [[ $parameters != *Architecture=*x86_64* ]] || arch=amd64
  [ "$arch" = "${LAMBDA_ARCH:-arm64}" ] || {
    [ "${LAMBDA_ARCH:-arm64}" = amd64 ] || die "this stack runs on x86_64, by samconfig.toml: make deploy LAMBDA_ARCH=amd64"
    parameters+=" Architecture=x86_64" arch=amd64
  }
  if [ -z "$region" ] || [ "${GUIDED-}" = 1 ]; then
    [ -t 0 ] || die "no region is known: set AWS_REGION, or run make deploy once where it can ask"
    first=(--guided)
  fi
  local options=(--template-file "$build/template.yaml" --config-file "$config" --config-env "$config_env" --stack-name "$stack")
  [ -t 0 ] || options+=(--no-confirm-changeset)
  # Given here they replace samconfig's, so all of them are; one string, as SAM itself writes it there.
  [ "$arch" != amd64 ] || options+=(--parameter-overrides "$parameters")
  "$sam" deploy "${first[@]}" "${options[@]}"
  [ ${#first[@]} = 0 ] || read_settings "$stage"
}

page() {
  local files
  files=$(go run ./.ci/page "$dist")
  aws page "$stack" --files "$files" --from "$dist" --grace-days "${GRACE_DAYS:-30}"
}

destroy() {
  local kept
  kept=$(aws keeps "$stack" --json)
  aws keeps "$stack"
  echo
  if [ "${PURGE-}" = 1 ]; then
    echo "PURGE=1: the table and the bucket are deleted too. Is there a backup? bin/ruri backup --home aws:$stack${region:+@$region} FILE"
    confirm "This cannot be undone." "purge-$stack"
  else
    confirm "" "$stack"
  fi
  aws empty "$stack"
  "$sam" delete --no-prompts --stack-name "$stack" --config-file "$config" --config-env "$config_env"
  [ "${PURGE-}" != 1 ] || aws purge "$kept"
}

stage=${2:-dev}
read_settings "$stage"
case ${1-} in
  deploy)
    deploy
    page
    echo "To sign in as the owner, make a link that works once: make link STAGE=$stage"
    ;;
  page) page ;;
  link) exec go run ./cmd/ruri link --home "aws:$stack${region:+@$region}" ;;
  logs) exec "$sam" logs --stack-name "$stack" --config-file "$config" --config-env "$config_env" ${TAIL:+--tail} ${SINCE:+--start-time "$SINCE"} ;;
  destroy) destroy ;;
  *) die "usage: $0 deploy|page|link|logs|destroy [dev|staging|prod]" ;;
esac
