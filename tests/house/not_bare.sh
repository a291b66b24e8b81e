#!/bin/sh
# SPDX-License-Identifier: MIT
# not_bare.sh ROOT: what .ci/run makes of a machine: a bare system where root, mounts and the archive
# are there; otherwise in place, with a last line that admits it.  The machine is made up of small
# programs, and so are the scripts that it runs.
set -u
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/not-bare.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/.ci" "$work/scripts"
cp "$root/.ci/run" "$work/.ci/run"
cp "$root/scripts/root.sh" "$work/scripts/root.sh"

# make FILE LINE: a script
make() {
	printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
	chmod +x "$work/$1"
}
make bin/apt-get 'echo http://127.0.0.1/debian'
make scripts/demo.sh 'echo demo'
make scripts/bare.sh 'echo "made bare: $*"; exit 5'

failed=0
# expect STATUS LAST USER MOUNT ARCHIVE TESTS: the exit status and the beginning of the last line, when
# the user has this number, and unshare, the archive and the tests end with these
expect() {
	make bin/id "echo $3"
	make bin/unshare "exit $4"
	make bin/apt-helper "exit $5"
	make scripts/test.sh "echo '1 passed, $6 failed, 0 skipped'; exit $6"
	status=0
	PATH="$work/bin:$PATH" APT_HELPER="$work/bin/apt-helper" "$work/.ci/run" >"$work/out" 2>&1 ||
		status=$?
	case $status:$(tail -n 1 "$work/out") in
	"$1:$2"*) ;;
	*)
		echo "user $3, unshare $4, archive $5, tests $6: expected status $1 and \"$2\", got $status and"
		cat "$work/out"
		failed=1
		;;
	esac
}

expect 0 'NOT BARE: only root' 1000 0 0 0
expect 1 'NOT BARE: only root' 1000 0 0 1
expect 0 'NOT BARE: root may not mount' 0 1 0 0
expect 0 'NOT BARE: no network' 0 0 1 0
expect 1 'NOT BARE: no network' 0 0 1 1
make bin/apt-get 'exit 1'
expect 0 'NOT BARE: the package manager knows no' 0 0 0 0
make bin/apt-get 'echo http://127.0.0.1/debian'
# with all of them what becomes of the bare system is the result, and it is never run in place
expect 5 'made bare: bookworm' 0 0 0 0
exit $failed
