#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles what the Python of GDB and of LLDB loads at each start. Debian ships these modules as sources and neither
# debugger keeps what it made of them: that is half of the time of LLDB's start and a third of GDB's.
#
#	make_bytecode.sh OUTPUT DEBUGGER...
#
# writes the files below OUTPUT.files, for PYTHONPYCACHEPREFIX, and OUTPUT itself, the list of their sources. A debugger
# without Python has none, and of a source that has changed since Python takes no file.
set -eu
output=$(realpath "$1")
shift
print='import sys; print("\n".join(str(getattr(m, "__file__", None)) for m in list(sys.modules.values())))'

# list_sources DEBUGGER: what its Python has loaded
list_sources() {
	case $1 in
	*gdb*) "$1" -nx -batch -ex "python $print" ;;
	*) "$1" -x -b -o "script $print" ;;
	esac </dev/null 2>/dev/null | grep '^/.*\.py$' || :
}

rm -rf "$output.files"
mkdir "$output.files"
for debugger; do
	list_sources "$debugger"
done | LC_ALL=C sort -u >"$output"
[ ! -s "$output" ] || PYTHONPYCACHEPREFIX="$output.files" python3 -m compileall -q -i "$output" >/dev/null || :
