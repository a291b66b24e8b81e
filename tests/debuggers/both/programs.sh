# SPDX-License-Identifier: MIT
# Sourced by play.sh: make_NAME makes, in the directory of the session NAME, the programs that it is about, or fails if this
# machine has not what makes them.

# make_stripped NAME FLAGS...: complete/NAME, and NAME without symbols
make_stripped() {
	made=$1
	shift
	mkdir -p complete
	"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 -Wl,-rpath,'$ORIGIN' "$@" -o "complete/$made"
	strip -s -o "$made" "complete/$made"
}
# make_gsym NAME FILE
make_gsym() {
	"$CAIRN" gsym create --quiet --statements "complete/$1" -o "$2"
}

make_before() {
	make_stripped fixed -no-pie "$programs/steps.c"
	make_stripped moved -pie -fPIE "$programs/steps.c"
	mkdir other
	for each in fixed moved; do
		make_gsym $each other/$each.gsym
	done
	"$CAIRN" symbfile create --quiet --only ranges complete/fixed -o other/fixed
	"$CAIRN" gsym dump other/fixed.gsym | awk -f "$here/../breakpad.awk" |
		sed 's/^\(FUNC \|PUBLIC \|\)40\(....\) /\1\2 /' >other/fixed.sym
}

make_user() {
	make_stripped libuser.so -fPIC -shared -DLIBRARY -Wl,-soname,libuser.so "$programs/user.c"
	make_stripped user "$programs/user.c" complete/libuser.so
	make_stripped other -no-pie "$programs/steps.c"
	for each in user libuser.so other; do
		make_gsym $each $each.gsym
	done
	{
		echo
		echo
		cat "$programs/user.c"
	} >newer.c
	make_stripped newer newer.c complete/libuser.so
	make_gsym newer newer.gsym
}
# debuggers look at the time of a file to see that it is another one
make_newer() {
	make_user
	touch -d '1 hour ago' user user.gsym
}
make_whole() {
	make_user
	mkdir whole
	cp complete/user libuser.so whole
}

# two processes, and a core of the stripped program in the library
make_attach() {
	make_user
	make_core core user library_call
	start_waiting ./user one
	start_waiting ./user two
}

make_libraries() {
	make_stripped plugs -O1 "$programs/plugs.c" -ldl
	mkdir symbols
	for each in first second; do
		make_stripped $each.so -O1 -shared -fPIC -DNAME=$each "$programs/plug.c"
	done
	make_gsym plugs plugs.gsym
	make_gsym first.so symbols/first.so.gsym
	make_gsym second.so second.so.gsym
}

make_moved() {
	make_before
}

# with SFrame alone for its stacks
make_sample() {
	"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "$programs/$1.c" -o "complete-$1" 2>/dev/null ||
		skip 'the assembler does not know --gsframe'
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "complete-$1" "$1"
}
make_commands() {
	make_sample sample
}
make_hook() {
	make_sample sample
}
make_nowhere() {
	make_sample nowhere
	"$CAIRN" gsym create --quiet nowhere -o nowhere.gsym
	strip -s nowhere
}

make_names() {
	"${CXX:-c++}" -O2 -g -fno-exceptions -Wl,--build-id=sha1 "$programs/names.cpp" -o complete
	strip -s -o names complete
	"$CAIRN" gsym create --quiet --statements complete -o names.gsym
}

make_folders() {
	mkdir src inc build
	cp "$programs/folders.c" src
	cp "$programs/twice.h" inc
	(cd build && "$CC_TARGET" -O1 -g -Wl,--build-id=sha1 ../src/folders.c -o complete)
	(cd build && strip -s -o bare complete && "$CAIRN" gsym create --quiet --statements complete -o folders.gsym)
}

# without a build ID
make_nameless() {
	make_stripped steps "$programs/steps.c" -Wl,--build-id=none
	make_gsym steps steps.given
}

# log_addresses PROGRAM: of the function `step`, of a place in a call that was inlined there, and of the variable `counter`
log_addresses() {
	nm "$1" | sed -n 's/^0*\([0-9a-f]*\) T step$/\1/p'
	objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <step>:/ { on = 1 } on && /(call|bl)[ \t].*<mark>/ { getline; sub(/:.*/, ""); print $1; exit }'
	nm "$1" | sed -n 's/^0*\([0-9a-f]*\) [BD] counter$/\1/p'
}

# A program without symbols, and a log of three others, of which only files of symbols are here.
make_logs() {
	make_stripped steps "$programs/steps.c"
	mkdir -p symbols/.build-id/ca
	count=0
	for each in gsym table given; do
		count=$((count + 1))
		"$CC_TARGET" -g -O0 -no-pie -Wl,--build-id=0xca1f00000000000$count "$programs/ring.c" -o $each
		log_addresses $each | {
			read -r step
			read -r inlined
			read -r counter
			echo "{{{reset}}}{{{module:0:$each:elf:ca1f00000000000$count}}}{{{mmap:0x10000:0x1000000:load:0:rx:0x10000}}}"
			echo "{{{bt:0:0x$step:pc}}}"
			echo "{{{bt:1:0x$inlined:ra}}}"
			echo "{{{data:0x$counter}}}"
		} >>log
	done
	"$CAIRN" gsym create --quiet gsym -o symbols/.build-id/ca/1f000000000001.gsym
	strip -g -o symbols/.build-id/ca/1f000000000002.debug table
	"$CAIRN" gsym create --quiet given -o given.gsym
	rm gsym table
	strip -s given
}

# GO, or "go", is the toolchain
make_go() {
	command -v "${GO:-go}" >/dev/null || return 1
	cp "$programs/recursion.go" main.go
	GOCACHE="$tmp/gocache" GOPATH="$tmp/gopath" GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local \
		"${GO:-go}" build -o complete main.go || fail 'go build'
	strip -s -o recursion complete
}

# make_core CORE PROGRAM FUNCTION: GDB writes it where the function begins
make_core() {
	within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' -ex 'set breakpoint pending on' \
		-ex "break $3" -ex run -ex "generate-core-file $1" "$2" </dev/null >"$tmp/said" 2>&1 || :
	[ -s "$1" ] || fail 'GDB makes no core'
}

# A process of the session's directory, waiting, whose number is in $tmp/NAME.pid
start_waiting() {
	"$1" wait >"$tmp/$2.said" 2>&1 &
	echo $! >"$tmp/$2.pid"
	until [ -s "$tmp/$2.said" ]; do
		kill -0 $! 2>/dev/null || fail "$1 does not wait"
		sleep 0.1
	done
}
end_waiting() {
	for file in "$tmp"/*.pid; do
		[ ! -s "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null || :
		rm -f "$file"
	done
}
