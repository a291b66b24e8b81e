#!/bin/sh
# SPDX-License-Identifier: MIT
# clone_checkout.sh ROOT: the scripts work on a checkout that another user owns, which git calls dubious.
# No script asks git about its checkout in another way than by scripts/checkout.sh.
set -u
root=$1
. "$(dirname "$0")/../lib/test.sh"
direct=$(cd "$root" && grep -nE '(^|[^a-z_])git (-C|archive|bundle|clone|diff|log|rev-parse|status) ' .ci/run scripts/*.sh scripts/*/*.sh |
	grep -vE '^[^:]*:[0-9]*:[[:space:]]*#|own_git|^scripts/checkout.sh:')
[ -z "$direct" ] || {
	printf 'these call git without own_git:\n%s\n' "$direct"
	failed=1
}

command -v git >/dev/null || {
	[ "$failed" = 0 ] || exit 1
	echo 'skipped: no git'
	exit 77
}
HOME=$work GIT_CONFIG_NOSYSTEM=1
export HOME GIT_CONFIG_NOSYSTEM
mkdir "$work/checkout"
cd "$work/checkout" || exit 2
git init --quiet --initial-branch=work
echo one >file
git add file
git -c user.name=test -c user.email=test@localhost commit --quiet --message=one
echo two >file

[ "$(id -u)" = 0 ] || {
	[ "$failed" = 0 ] || exit 1
	echo 'skipped: only root can give a checkout to another user'
	exit 77
}
chown -R 65534:65534 "$work/checkout"
! git status >"$work/answer" 2>&1 || {
	echo 'git trusts a checkout of another user here, so that nothing is shown by this test'
	failed=1
}

. "$root/scripts/checkout.sh"
clone_checkout "$work/clone" || failed=1
[ "$(cat "$work/clone/file" 2>&1)" = one ] || {
	echo 'the clone is not the commit'
	failed=1
}
[ "$(own_git status --porcelain)" = ' M file' ] || {
	echo 'own_git does not see the change'
	failed=1
}
[ "$(ls "$work")" = "$(printf 'answer\ncheckout\nclone')" ] || {
	ls "$work"
	failed=1
}
exit $failed
