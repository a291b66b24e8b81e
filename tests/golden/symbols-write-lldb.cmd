out=$(mktemp)
tiny=../fuzz/corpus/frame_writer/v1-amd64
# without symbols: the functions of .sframe, all loaded sections, no program headers
cairn symbols write --debugger lldb --for $tiny -o - 2>&1 >"$out" | sed 's/^-: //'
readelf -SW "$out" | sed -n 's/^ *\[ *[0-9]*\] \(\.[^ ]*\) *\([A-Z]*\) *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .* \([0-9]*\)$/\1 \2 \3 \5/p'
readelf -lW "$out" | grep 'no program headers'
readelf --debug-dump=frames "$out" | grep -E '(CIE|FDE|DW_CFA)' | grep -v nop
readelf -sW "$out" | awk '$4 == "FUNC" { print $2, $3, $8 }'
# names: found by their last part, shown by a linkage name
cat >"$out.sym" <<'SYM'
MODULE Linux x86_64 000000000000000000000000000000000 v1-amd64
FUNC 4001b0 10 0 long ns::Class::f<int>(int)
FUNC 4001c0 10 0 main
FUNC 4001d0 10 0 _ZN2ns3BoxIiE3getEv
FUNC 4001e0 10 0 f(int) [clone .cold]
FUNC 4001f0 10 0 std::operator<<(std::ostream&, int)
SYM
cairn symbols write --debugger lldb --for $tiny --force -q "$out.sym" -o "$out"
readelf --debug-dump=info "$out" | sed -n 's/.*\(DW_AT_name\|DW_AT_linkage_name\).*: /\1 /p'
cairn symbols write --debugger gdb --for $tiny --force -q "$out.sym" -o - | cmp - "$out" >/dev/null || echo another one for GDB
cairn symbols write --debugger kdbg --for $tiny -o - 2>&1 | head -n 1
cairn symbols write --debugger gdb --for $tiny -o - 2>&1 | head -n 1
rm -f "$out" "$out.sym"
