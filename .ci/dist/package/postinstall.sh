#!/bin/sh
# After an installation (deb: configure without an old version, rpm: 1) or an update.
set -e
if command -v systemd-sysusers >/dev/null; then
  systemd-sysusers ruri.conf
elif ! id ruri >/dev/null 2>&1; then
  useradd --system --user-group --home-dir /var/lib/ruri --no-create-home --shell /usr/sbin/nologin ruri
fi
command -v systemctl >/dev/null || exit 0
running() { [ -d /run/systemd/system ]; }
if running; then systemctl daemon-reload; fi
if [ "$1" = 1 ] || { [ "$1" = configure ] && [ -z "$2" ]; }; then
  systemctl enable ruri.service
  if running; then systemctl start ruri.service; fi
elif running; then
  systemctl try-restart ruri.service
fi
