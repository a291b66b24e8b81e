# SPDX-License-Identifier: MIT
# Sourced by the tests that run the transcripts: the programs that they are about, and files of symbols.

# make_programs COMPILER CAIRN: $tmp/srv/sample without call frame information, $tmp/srv/bare/sample, which has lost
# its symbols, too, complete/sample, and $tmp/srv/nowhere; and in $tmp/symbols, where the test goes on, symbols of it, of another
# program, and damaged ones.  Fails if the assembler does not know --gsframe.
make_programs() {
	mkdir "$tmp/srv" "$tmp/srv/bare" "$tmp/symbols" "$tmp/complete"
	cd "$tmp/symbols"
	echo 'int x;' >probe.c
	"$1" -c -Wa,--gsframe probe.c -o probe.o 2>/dev/null || return 1
	"$1" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id "-ffile-prefix-map=$programs=/src" \
		"$programs/sample.c" -o "$tmp/complete/sample"
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/complete/sample" "$tmp/srv/sample"
	objcopy -S "$tmp/srv/sample" "$tmp/srv/bare/sample"
	"$1" -O1 -Wa,--gsframe -Wl,--build-id "$programs/nowhere.c" -o "$tmp/complete/nowhere"
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/complete/nowhere" "$tmp/srv/nowhere"
	"$2" gsym create --quiet "$tmp/complete/sample" -o sample.gsym
	"$2" gsym dump sample.gsym | awk -f "${here%/debuggers*}/debuggers/breakpad.awk" >sample.sym
	"$2" symbfile create --quiet --only ranges "$tmp/complete/sample" -o sample
	cp sample.ranges nameless
	head -c 600 sample.gsym >cut.gsym
	"$1" -g -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 "$programs/ring.c" -o ring
	"$2" gsym create --quiet ring -o other.gsym
	# addresses of a program whose library is not here
	{
		echo '==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000'
		for offset in 1234 1300 1400; do
			echo "    #$((level = ${level:--1} + 1)) 0x7f000000$offset  (/srv/gone.so+0x$offset)"
		done
	} >crash.log
}

# find_stop: where the function stop_here is, as linked
find_stop() {
	nm "$tmp/complete/sample" | awk '$3 == "stop_here" { print "0x" $1 }'
}
