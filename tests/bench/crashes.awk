# SPDX-License-Identifier: MIT
# Threads that crashed, a line each, of five frames and some 1.6 kB, no two alike: awk -v count=N -v bugs=M -f crashes.awk
function frame(level, name, place) {
	return sprintf("{\"level\":%d,\"pc\":\"0x%016x\",\"module\":\"/usr/lib/x86_64-linux-gnu/libthing-%d.so.1\",\"build_id\":\"%040x\",\"module_offset\":\"0x%x\",\"function\":\"%s\",\"offset\":%d,\"file\":\"/home/builder/src/project/part%d/file%d.cpp\",\"line\":%d,\"inlined\":false,\"method\":\"cfi\",\"cfa\":\"0x%016x\"}",
		level, 140000000000000 + place * 64, level, level * 77777, 4096 + place % 65536, name, level * 3, level, level, level * 10 + 1, 140700000000000 + level * 96)
}
BEGIN {
	for (i = 0; i < count; i++) {
		bug = i * 7919 % bugs
		print "{\"thread\":" i ",\"crashed\":true,\"program\":\"/usr/bin/thing" (i % 3) "\",\"signal\":\"SIGSEGV\",\"time\":" (1700000000 + i) ",\"frames\":[" \
			frame(0, "project::Table<int, std::allocator<int> >::insert" bug "(int const&)", i) "," frame(1, "project::parse_part" (bug % 61) "(char const*)", i + 1) "," \
			frame(2, "project::read_request", i + 2) "," frame(3, "project::serve(project::Connection&)", i + 3) "," frame(4, "main", i + 4) "],\"end\":\"outermost\"}"
	}
}
