#!/bin/sh
# SPDX-License-Identifier: MIT
# Does scripts/setup.sh print names of packages that can be installed, show that it works, and notice packages that were installed
# since it configured the build?  setup_lines.sh SOURCE
#
# It runs in a directory of its own, with programs that stand for those of Debian.
set -u
source=$1
. "$(dirname "$0")/../lib/test.sh"
mkdir "$work/scripts" "$work/bin"
cp "$source/scripts/setup.sh" "$source/scripts/progress.sh" "$work/scripts/"
cd "$work" || exit 2
make() { cat >"bin/$1" && chmod 755 "bin/$1"; }
for tool in sh sed grep cut tr find mkdir cat sleep kill tail rm dirname head touch chmod env; do
	ln -s "$(command -v $tool)" bin/$tool
done
make id <<'END'
#!/bin/sh
echo "${USER_ID:-1000}"
END
make dpkg-query <<'END'
#!/bin/sh
[ -z "${ALL_INSTALLED:-}" ] || echo 'install ok installed'
END
# of the names that are asked for those that this Debian has
make apt-cache <<'END'
#!/bin/sh
[ "$DEBIAN" != none ] || exit 100
shift
for name in "$@"; do
	case $DEBIAN:$name in
	12:libdebuginfod1t64 | 13:libdebuginfod1 | 12:*-1[456]-dev* | 13:*-1[256]-dev* | 13:*-1[56]-dev*) ;;
	*) echo "Package: $name" ;;
	esac
done
END
for each in meson ninja pkg-config; do
	printf '#!/bin/sh\nexit 0\n' | make $each
done
PATH=$work/bin
export PATH

# without root and sudo: one line to type, of names that exist
for row in 12:libdebuginfod1:lib32gcc-12-dev 13:libdebuginfod1t64:lib32gcc-14-dev none:libdebuginfod1:lib32gcc-12-dev; do
	debian=${row%%:*}
	DEBIAN=$debian scripts/setup.sh --tests >out 2>err && fail "Debian $debian: what is needed is missing, and the exit status is 0"
	line=$(sed -n 's/^As root: *apt-get install --no-install-recommends //p' out)
	case $line in '' | *'|'*) fail "Debian $debian: the line is '$line'" ;; esac
	for name in $(echo "${row#*:}" | tr ':' ' ') meson gdb; do
		case " $line " in
		*" $name "*) ;;
		*) fail "Debian $debian: no $name in '$line'" ;;
		esac
	done
	# shellcheck disable=SC2086 # names
	[ "$debian" = none ] || [ "$(DEBIAN=$debian apt-cache show $line | grep -c .)" = "$(echo "$line" | tr ' ' '\n' | grep -c .)" ] ||
		fail "Debian $debian: not all of these exist: $line"
done

# all is installed: configured once, and again when packages have come
make_configure() {
	printf '#!/bin/sh\necho configured >>%s/said\n[ -z "${SLOW:-}" ] || sleep 5\n' "$work" >scripts/configure.sh
	chmod 755 scripts/configure.sh
}
make_configure
: >status
touch -d '2020-01-01' status 2>/dev/null || skip 'touch sets no dates here'
DPKG_STATUS=$work/status ALL_INSTALLED=yes
export DPKG_STATUS ALL_INSTALLED
: >said
DEBIAN=12 scripts/setup.sh >out 2>&1 || fail "it fails: $(cat out)"
DEBIAN=12 scripts/setup.sh >out 2>&1
[ "$(grep -c . said)" = 1 ] || fail "configured $(grep -c . said) times, not once"
touch -d '2100-01-01' status
DEBIAN=12 SLOW=yes scripts/setup.sh >out 2>&1
[ "$(grep -c . said)" = 2 ] || fail 'packages have come, and it does nothing'
grep -q '^configuring: 4 s' out || fail "it is silent while it configures: $(cat out)"
exit $failed
