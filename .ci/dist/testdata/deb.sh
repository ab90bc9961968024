#!/usr/bin/env bash
# Called by TestDeb in a mount and a network namespace: `deb.sh PACKAGE FOLDER`. The machine's own files are below an
# overlay, so that what the package does stays in FOLDER.
set -euo pipefail
deb=$1 work=$2
die() { echo "deb: $*" >&2; exit 1; }
mount --make-rprivate /
mount -t tmpfs none "$work"
mkdir "$work"/{upper,work,root,packages}
root=$work/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs none "$root/run"
mount -t tmpfs none "$root/tmp"
ip link set lo up
mkdir "$root/tmp/p"
cp "$deb" "$root/tmp/p/one.deb"
# The next version is the same program with a higher number.
dpkg-deb -R "$deb" "$work/packages/next"
sed -i 's/^Version: .*/Version: 0.2.0/' "$work/packages/next/DEBIAN/control"
echo '# A setting of the new version' >>"$work/packages/next/etc/ruri/ruri.env"
dpkg-deb -Znone -b "$work/packages/next" "$root/tmp/p/two.deb" >/dev/null
in_root() { chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
as_ruri() { RURI_DATA=/var/lib/ruri chroot --userspec=ruri:ruri "$root" "$@"; }
[ ! -d "$root/run/systemd/system" ] || die "this is not a file system of its own"

serve() { # starts the server as the unit does, and waits until it says where it is
  exec {out}< <(RURI_DATA=/var/lib/ruri exec chroot --userspec=ruri:ruri "$root" /usr/bin/ruri serve --samples 2>&1)
  server=$!
  local line
  while read -r line <&"$out"; do
    echo "ruri: $line"
    [[ $line != *" is at "* ]] || break
  done
  cat <&"$out" >/dev/null &
  as_ruri ruri healthcheck
}
stop() {
  kill -TERM "$server"
  wait "$server" || die "the server ended with $?"
}

in_root dpkg --install /tmp/p/one.deb
[ "$(in_root stat -c %a /etc/ruri/ruri.env)" = 600 ] || die "others may read the settings"
[ -L "$root/etc/systemd/system/multi-user.target.wants/ruri.service" ] || die "the service does not start with the machine"
in_root id ruri
in_root ruri version
in_root install -d -o ruri -g ruri -m 0700 /var/lib/ruri # the unit's StateDirectory
serve
before=$(as_ruri ruri feeds --json)
[[ $before == *samples* ]] || die "there are no sample feeds: $before"
stop

echo 'RURI_MAX_FEEDS=7' >>"$root/etc/ruri/ruri.env"
in_root dpkg --install --force-confdef --force-confold /tmp/p/two.deb
grep -q '^RURI_MAX_FEEDS=7$' "$root/etc/ruri/ruri.env" || die "the update lost a setting"
[ "$(in_root dpkg-query -W -f '${Version}' ruri)" = 0.2.0 ] || die "the package was not updated"
serve
[ "$(as_ruri ruri feeds --json | tr -d '[:space:]' | grep -o '"url":"[^"]*"' | sort)" = \
  "$(tr -d '[:space:]' <<<"$before" | grep -o '"url":"[^"]*"' | sort)" ] || die "the update lost feeds"
stop

in_root dpkg --remove ruri
[ ! -e "$root/usr/bin/ruri" ] || die "the program was not removed"
[ ! -L "$root/etc/systemd/system/multi-user.target.wants/ruri.service" ] || die "the service is still enabled"
[ -e "$root/etc/ruri/ruri.env" ] || die "the removal took the settings"
in_root dpkg --purge ruri
[ ! -e "$root/etc/ruri/ruri.env" ] || die "the settings were not purged"
[ -n "$(ls "$root/var/lib/ruri")" ] || die "the purge took the reader's folder"
echo "installed, updated, removed and purged"
