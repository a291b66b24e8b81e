cairn gsym lookup
cairn gsym lookup -
cairn gsym lookup missing.gsym 1
cairn gsym lookup gsym/prog.c 1
cairn gsym lookup --no-such gsym/prog 1
cairn gsym dump
cairn gsym find x
cairn gsym verify
