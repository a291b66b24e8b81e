# SPDX-License-Identifier: MIT
# What differs from one run of a page to the next: the only list of masks, for what a page shows and for
# what its commands print.  There is none for names of functions, and none for a whole line.

# addresses
s/0x[0-9a-f]\{1,\}/0xADDRESS/g
# processes and threads
s/\(LWP\|process\|Thread\) [0-9]\{1,\}/\1 PID/g
# times
s/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]T[0-9:]\{8\}Z/TIME/g
# versions, and what identifies a build
s/\(cairn\|GNU gdb ([^)]*)\|in GDB\) [0-9][0-9.]*/\1 VERSION/g
s/build ID [0-9a-f]\{16,\}/build ID BUILD/g
s/\<[0-9a-f]\{40\}\>/BUILD/g
s|\.build-id/[0-9a-f][0-9a-f]/[0-9a-f]\{14,\}|.build-id/BUILD|g
s/GNU gdb ([^)]*)/GNU gdb/g
# sizes of a file that holds the path of a clone
s/[0-9]\{1,\} bytes, of these [0-9]\{1,\} for strings/N bytes, of these N for strings/

s/ *$//
