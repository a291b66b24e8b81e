# SPDX-License-Identifier: MIT
# Git in this checkout, for the other scripts: sourced, not run.
#
# Git refuses a checkout that another user owns, as when root tries what a user has checked out.  Whoever runs a
# script of this checkout trusts it already, so that it is named to git as safe, for this call and no other directory.

# own_git ARGUMENTS...: git, in the checkout that is the current directory
own_git() {
	git -c safe.directory="$(pwd -P)" "$@"
}

# clone_checkout DIR: a clean clone of HEAD.  Git starts a second git in the checkout to clone it, which does not hear
# what is safe; so the clone is made from a bundle.
clone_checkout() {
	own_git bundle create --quiet "$1.bundle" HEAD &&
		git -c advice.detachedHead=false clone --quiet "$1.bundle" "$1" || return
	rm -f "$1.bundle"
}
