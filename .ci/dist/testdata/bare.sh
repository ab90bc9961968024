#!/usr/bin/env bash
# Called by TestAsANewUser in a mount and a network namespace: `bare.sh RELEASE FOLDER README INSTALL`. On a machine
# without Go, Node and a compiler it gives the commands of both pages that are marked as bash, as they stand there.
set -euo pipefail
release=$1 work=$2
die() { echo "bare: $*" >&2; exit 1; }
mount --make-rprivate /
mount -t tmpfs none "$work"
mkdir "$work"/{upper,work,root}
root=$work/root
# blocks FILE PATTERN prints the blocks marked as bash that have a line like PATTERN.
blocks() { awk -v want="$2" '/^```bash/ {on = 1; text = ""; next} /^```/ {if (on && text ~ want) printf "%s", text; on = 0}
  on {text = text $0 "\n"}' "$1"; }
download=$(blocks "$3" 'tar xf') unpack=$(blocks "$4" 'tar xf') package=$(blocks "$4" 'apt install')
[ "$download" ] && [ "$unpack" ] && [ "$package" ] || die "the pages have no blocks marked as bash"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
for folder in run tmp root usr/local home; do mount -t tmpfs none "$root/$folder"; done
rm -f "$root"/usr/bin/{go,gofmt,node,npm,npx,gcc,cc,make}
ip link set lo up
mkdir "$root/tmp/bin"
# As sudo does, where a machine has none; only the form of the page.
printf '#!/bin/sh\n[ "$1" = -u ] || exit 1\nuser=$2; shift 2\nexec setpriv --reuid=$user --regid=$user --clear-groups "$@"\n' \
  >"$root/tmp/bin/sudo"
chmod +x "$root/tmp/bin/sudo"
in_root() { chroot "$root" env -i PATH=/tmp/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
for tool in go node gcc; do
  ! in_root sh -c "command -v $tool" >/dev/null || die "the machine has $tool"
done

# sees FILE waits for the link in an output, asks for the page and opens the link.
sees() {
  local link='' n=0
  until link=$(grep -o 'http://127[^ ]*/auth/link/[^ ]*' "$1"); do
    ((n++ < 600)) || die "no link: $(cat "$1")"
    sleep 0.1
  done
  in_root curl -fsS http://127.0.0.1:8080/ | grep -q '<title>' || die "there is no page"
  in_root curl -fsS -o /dev/null "$link" || die "the link does not open"
}
stop() {
  in_root pkill -TERM -x ruri || die "no server to end"
  wait "$1" || die "the server ended with $?"
}
for way in "$download" "$unpack"; do
  began=$(date +%s) folder=$(mktemp -d "$root/home/XXXX")
  cp "$release"/ruri_0.1.0_linux_amd64.tar.gz "$folder"
  in_root bash -euc "cd '${folder#"$root"}'; $way" >"$work/said" 2>&1 &
  sees "$work/said"
  echo "a download: the link after $(($(date +%s) - began)) s"
  stop $!
done

folder=$(mktemp -d "$root/home/XXXX")
cp "$release"/ruri_0.1.0_amd64.deb "$folder"
began=$(date +%s)
while read -r line; do
  in_root bash -euc "cd '${folder#"$root"}'; $line" >"$work/said" 2>&1 || die "$line: $(cat "$work/said")"
  if [[ $line == apt* ]]; then # what systemd does then
    in_root install -d -o ruri -g ruri -m 0700 /var/lib/ruri
    in_root sudo -u ruri env RURI_DATA=/var/lib/ruri /usr/bin/ruri serve >"$work/served" 2>&1 &
    server=$!
    until grep -q ' is at ' "$work/served"; do sleep 0.1; done
  fi
done <<<"$package"
sees "$work/said"
echo "a package: the link after $(($(date +%s) - began)) s"
stop "$server"
