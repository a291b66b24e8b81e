# SPDX-License-Identifier: MIT
# Sourced by the tests that compare cairn bt with GDB: builds the programs of stacks, complete in $tmp/all, and in $tmp/cut
# with the tables that are left to a $kind. Sets $plugin (no: it cannot load libraries), $narrow (1: of 32 bits)
# and $bare (yes: a C library without tables, where the start of a thread does not show that anybody called it, and a context
# has the frame pointer of who made it).

skip() {
	echo "skipped: $1"
	exit 77
}

for tool in "$GDB" "$CC_TARGET" objcopy; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
export XDG_CACHE_HOME="$tmp/cache" # a conversion of another test would name functions otherwise
ulimit -s 256                      # so that a stack overflows soon

# bt ARGUMENT...: cairn bt. It takes the debug information of the C library from the copies that GDB also has, which are not
# compressed; beside complete programs that are not optimized it unpacks Debian's own.
bt() {
	"$CAIRN" bt --quiet ${copies:+--debug-file-directory "$copies"} "$@"
}

# drop_frames PATTERN FILE...
drop_frames() {
	pattern=$1
	shift
	for file; do
		grep -v -e "$pattern" "$file" >"$file.kept" || :
		mv "$file.kept" "$file"
	done
}

remove_tables() {
	case $kind in
	complete) cp "$1" "$2" ;;
	sframe) objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$1" "$2" ;;
	pointers)
		objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr \
			--remove-section .sframe "$1" "$2"
		;;
	debug-frame) cp "$1" "$2" ;;
	side)
		objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr --remove-section .sframe "$1" "$2"
		"$CAIRN" sframe create --quiet "$1" -o "$2.sframe"
		;;
	esac
}

build_programs() {
	mkdir "$tmp/all" "$tmp/cut" "$tmp/cache"
	copies=${DEBUG_FILES:+$DEBUG_FILES.files}
	case "$kind $* " in 'complete '*'-O0 '*) copies='' ;; esac
	plugin=yes
	case " $* " in *' -static'*) plugin=no ;; esac
	bare=no
	[ "$kind $plugin" != 'pointers no' ] || bare=yes
	"$CC_TARGET" -g -pthread "$@" -DWITH_PLUGIN="$([ $plugin = yes ] && echo 1 || echo 0)" "$programs/stacks.c" \
		-o "$tmp/all/stacks" 2>"$tmp/refused" || skip "the compiler cannot make it: $(head -n 1 "$tmp/refused")"
	if [ "$plugin" = yes ]; then
		"$CC_TARGET" -g "$@" -pie -fPIC -shared "$programs/stacks_plugin.c" -o "$tmp/all/plugin.so"
		remove_tables "$tmp/all/plugin.so" "$tmp/cut/plugin.so"
	fi
	# of a 32-bit program the C++ library may be missing
	narrow=0
	case " $* " in *" -m32 "*) narrow=1 CXX_TARGET="" ;; esac
	# nor does every kernel of amd64 run one
	if [ $narrow = 1 ]; then
		echo 'int main(void) { return 0; }' >"$tmp/runs.c"
		"$CC_TARGET" "$@" "$tmp/runs.c" -o "$tmp/runs" && { "$tmp/runs" 2>/dev/null || [ $? != 126 ]; } ||
			skip 'this kernel runs no programs of i386'
	fi
	if [ "$kind" = complete ] && [ -n "$CXX_TARGET" ] && command -v "$CXX_TARGET" >/dev/null; then
		"$CXX_TARGET" -g "$@" "$programs/stacks_throw.cpp" -o "$tmp/all/throw"
		remove_tables "$tmp/all/throw" "$tmp/cut/throw"
	fi
	list_aliases "$tmp/all/stacks"
	remove_tables "$tmp/all/stacks" "$tmp/cut/stacks"
}
