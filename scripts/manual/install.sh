#!/bin/sh
# SPDX-License-Identifier: MIT
# Man pages where Meson installs: install.sh CAIRN MANDIR DATE, called by `meson install`.
set -eu
[ -z "${MESON_INSTALL_DRY_RUN:-}" ] || exit 0
case $2 in
/*) folder=${DESTDIR:-}$2 ;;
*) folder=$MESON_INSTALL_DESTDIR_PREFIX/$2 ;;
esac
exec "$(dirname "$0")/manual.sh" "$1" "$folder" "$3"
