# SPDX-License-Identifier: MIT
# Sourced by the tests of colours in GDB and LLDB: what the innermost frame of sample.c looks like in both.
esc='^['
# shellcheck disable=SC2034 # for those that source this
plain='#0   0xN in stop_here at sample.c:23'
# shellcheck disable=SC2034
bright="#0   ${esc}[34m0xN${esc}[m in ${esc}[33mstop_here${esc}[m at ${esc}[32msample.c${esc}[m:23"

# innermost_frames: escape characters as ^[, and the lines of the innermost frame; GDB ends its own colours
# before what follows, and newer ones tell with each colour that nothing else is on
innermost_frames() {
	tr -d '\r' | sed 's/\x1b/^[/g; s/;49;22;23;24;27m/m/g; s/\^\[\[39m/^[[m/g' |
		sed -n 's/^\(\^\[\[m\)*\(#0 .*\)0x[0-9a-f]\{16\}/\20xN/p'
}
