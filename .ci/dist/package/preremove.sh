#!/bin/sh
# Before a removal (deb: remove, rpm: 0), not before an update.
set -e
[ "$1" = remove ] || [ "$1" = 0 ] || exit 0
command -v systemctl >/dev/null || exit 0
if [ -d /run/systemd/system ]; then systemctl stop ruri.service; fi
systemctl disable ruri.service
