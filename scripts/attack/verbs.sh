# SPDX-License-Identifier: MIT
# Part of attack.sh: a damaged file goes to verbs of the command line. Three of four are verbs for that kind of file.

prepare_verbs() {
	cat >"$work/log" <<'END'
{{{module:0:program:elf:abcdef}}}
{{{mmap:0x0:0x1000000:load:0:rwx:0x0}}}
{{{pc:0x401010}}} {{{bt:0:0x1150:pc}}} {{{bt:1:0x4011d6:ra}}} {{{data:0x4010}}} {{{symbol:_Z3fooIiEvT_}}}
END
	# FILE is the damaged file; OUT is written to.  One command a line.
	cat >"$work/verbs" <<'END'
sframe dump FILE
sframe dump --hex FILE
sframe dump --lines FILE
sframe dump --json FILE
sframe verify FILE
sframe verify --json FILE
sframe lookup FILE 0x1150 0x401136
sframe create --quiet --report -o OUT FILE
sframe create --quiet --format 2 --share-rows --join-functions -o OUT FILE
sframe create --quiet --as rows -o OUT FILE
sframe convert --quiet --report --to 2 -o OUT FILE
sframe convert --quiet --to 3 --side-file -o OUT FILE
sframe convert --quiet --raw --to 2 --by-section -o OUT FILE
sframe merge --quiet --report -o OUT FILE FILE
cbf decode FILE
cbf decode --json FILE
cbf decode --each --lines FILE
cbf decode --stream --json --from raw FILE
cbf decode --images FILE FILE
cbf decode --image-map --json FILE
cbf decode --image-map --from raw FILE
cbf encode FILE
cbf encode --image-map FILE
cbf find FILE
cbf find --json --arrays FILE
gsym create -j 1 --quiet --keep-going -o OUT FILE
gsym create --quiet --verify -o OUT FILE
gsym create --quiet --statements -o OUT FILE
gsym diff FILE FILE
gsym dump FILE
gsym dump --json FILE
gsym verify FILE
gsym verify --json FILE
gsym stats FILE
gsym find --contains FILE a
gsym lookup FILE 0x1000 0x1010 0x401136
gsym lookup --json FILE 0x1000 0x1150
gsym lookup --addr2line FILE 1000 1150
gsym lookup --gsymutil FILE 0x1000 0x1150
symbfile create -j 1 --quiet -o OUT FILE
symbfile dump FILE
symbfile dump --json FILE
symbfile verify FILE
symbfile stats FILE
symbfile lookup FILE 0x1000 0x1150
symbfile id FILE
symbols write --quiet --machine amd64 --force -o OUT FILE
symbols write --quiet --for FILE --force -o OUT FILE
symbols write --quiet --debugger=lldb --for FILE --force -o OUT FILE
where --no-cache FILE 0x1150 0x401136
addr2line -afiCe FILE 1150 401136
where --no-cache --json FILE 0x1150 0x401136
dwarf dump --summary FILE
dwarf dump FILE
markup FILE
markup --json FILE
markup --compat=llvm FILE
markup --reports FILE
profile convert --quiet --to folded -o - FILE
profile convert --quiet --to pprof -o OUT FILE
profile convert --quiet --to firefox -o - FILE
profile convert --quiet --to otlp-json -o - FILE
markup --debug-file-directory=DEBUG LOG
markup --compat=llvm --debug-file-directory=DEBUG LOG
group FILE
group --each FILE
bt FILE
bt --json FILE
bt --explain --registers FILE
bt --list-modules FILE
bt --folded FILE
bt --markup FILE
END
}

# list_kind: the verbs for this kind of file, into $work/kind
list_kind() {
	case $source in
	*pprof* | *otlp* | *perfdata* | *perf-* | *service_profiles*) kind='^profile' ;;
	*sframe* | *ehframe* | *frame_writer*) kind='^sframe|^symbols|^where' ;;
	*cbf* | *codable* | *imagemap* | *swift*) kind='^cbf' ;;
	*markup* | *.log | *log-*) kind='^markup' ;;
	*minidump* | *core* | *.dmp | */bt/*) kind='^bt|^cbf find' ;;
	*symbfile*) kind='^symbfile|^symbols|^where' ;;
	*gsym*) kind='^gsym|^symbols|^where|^markup.*DEBUG|^symbfile create' ;;
	*.o | *dwarf* | *elf* | *debug* | *breakpad* | *.so | *line* | *gopclntab* | *macho* | *symbols*)
		kind='^gsym create|^symbfile (create|id)|^symbols|^where|^addr2line|^dwarf|^sframe|^markup.*DEBUG'
		;;
	*) kind=. ;;
	esac
	grep -E "$kind" "$work/verbs" >"$work/kind"
}

# set_words: the arguments of the command WORDS, one a line, into $work/words
set_words() {
	for word in $words; do
		case $word in
		FILE) word=$file ;;
		OUT) word=$work/out ;;
		LOG) word=$work/log ;;
		JIT) word=$work/jit ;;
		--debug-file-directory=DEBUG) word=--debug-file-directory=$work/debug ;;
		esac
		echo "$word"
	done >"$work/words"
}

attack_verbs() {
	ln -f "$file" "$debug"
	list_kind
	for again in 1 2 3 4; do
		draw 4
		[ "$drawn" = 0 ] && list=verbs || list=kind
		draw_line "$work/$list"
		words=$drawn_line
		set_words
		# shellcheck disable=SC2046 # no blanks in them
		set -- $(cat "$work/words")
		run_plain "cairn $words" "$plain/core/cli/cairn" "$@"
		run_sanitized "cairn $words" "$san/core/cli/cairn" "$@"
		rm -rf "$work"/out*
	done
}
