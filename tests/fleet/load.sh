# SPDX-License-Identifier: MIT
# Requests of five kinds for a fleet, to be read by "." in a test that has $work, $cairn, $compiler and $fixtures.
#
#	load_store                a program with 64 functions, stripped, and its symbols in $work/store; bodies in $work/bodies
#	load_make COUNT [KIND]    COUNT different requests, of all kinds or of one: thread report offsets reference missing

load_store() {
	awk 'BEGIN {
		print "volatile int sink;"
		for (i = 0; i < 64; i++)
			printf "__attribute__((noinline)) int function_%02d(int n)\n{\n\tsink += n;\n\tsink *= %d;\n\treturn sink;\n}\n", i, i + 2
		print "int main(void)\n{\n\treturn function_00(1);\n}"
	}' >"$work/many.c"
	mkdir -p "$work/store" "$work/bodies"
	$compiler -O1 -g -Wl,--build-id -o "$work/many" "$work/many.c" &&
		"$cairn" gsym create --quiet -o "$work/store/many.gsym" "$work/many" || exit 2
	load_id=$(readelf -n "$work/many" | sed -n 's/.*Build ID: //p')
	nm "$work/many" | sed -n 's/^0*\([0-9a-f]*\) T function_.*/\1/p' >"$work/addresses"
	cp "$fixtures"/minidump/*.dmp "$work/bodies/" || exit 2
	for load_body in "$work"/bodies/*; do
		printf '%s %s %s\n' "$(sha256sum <"$load_body" | cut -d' ' -f1)" "$(wc -c <"$load_body")" "$(basename "$load_body")"
	done >"$work/references"
}

load_make() {
	awk -v count="$1" -v only="${2:-}" -v id="$load_id" '
	FILENAME ~ /addresses$/ { address[n++] = $1; next }
	{ reference[bodies++] = "{\"hash\":\"" $1 "\",\"size\":" $2 ",\"kind\":\"minidump\",\"path\":\"" $3 "\"" }
	function frames(i, level, text) {
		for (level = 0; level < 20; level++)
			text = text sprintf("%s{\"level\":%d,\"pc\":\"0x%x\",\"found\":\"%s\",\"module\":\"/usr/bin/many\",\"build_id\":\"%s\",\"va\":\"0x%s\",\"module_offset\":\"0x%s\"}",
				level ? "," : "", level, 93824992231424 + 16 * ((i + 7 * level) % n), level ? "cfi" : "registers", id, address[(i + 7 * level) % n], address[(i + 7 * level) % n])
		return text
	}
	function thread(i) { return sprintf("{\"tid\":%d,\"name\":\"many\",\"crashed\":true,\"signal\":11,\"frames\":[%s]}", 1000 + i, frames(i)) }
	END {
		split("thread report offsets reference missing", kind, " ")
		for (i = 0; i < count; i++) {
			k = only != "" ? only : kind[i % 5 + 1]
			if (k == "thread")
				print thread(i)
			else if (k == "report")
				printf "{\"crash_report\":1,\"time\":%d,\"threads\":[%s]}\n", 1700000000 + i, thread(i)
			else if (k == "offsets")
				printf "{\"id\":%d,\"frames\":[{\"build_id\":\"%s\",\"address\":\"0x%s\",\"kind\":\"va\"}]}\n", i, id, address[i % n]
			else if (k == "reference")
				printf "%s,\"time\":%d}\n", reference[int(i / 5) % bodies], 1700000000 + i
			else
				printf "{\"id\":%d,\"frames\":[{\"build_id\":\"%08x\",\"address\":\"0x10\",\"kind\":\"va\"}]}\n", i, i + 1
		}
	}' "$work/addresses" "$work/references"
}
