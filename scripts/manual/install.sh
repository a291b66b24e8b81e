#!/bin/sh
# SPDX-License-Identifier: MIT
# Man pages where Meson installs: install.sh CAIRN MANDIR DATE EMULATOR, called by `meson install`.  EMULATOR runs a
# CAIRN that was built for another machine; empty: it runs by itself.
set -eu
[ -z "${MESON_INSTALL_DRY_RUN:-}" ] || exit 0
case $2 in
/*) folder=${DESTDIR:-}$2 ;;
*) folder=$MESON_INSTALL_DESTDIR_PREFIX/$2 ;;
esac
cairn=$1
if [ -n "$4" ]; then
	cairn=$(mktemp)
	trap 'rm -f "$cairn"' EXIT
	printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$4" "$1" >"$cairn"
	chmod 700 "$cairn"
fi
"$(dirname "$0")/manual.sh" "$cairn" "$folder" "$3"
