cairn gsym lookup gsym/prog.embedded 0x400110
cairn gsym lookup --binary gsym/prog gsym/prog.embedded 0x400110
cairn gsym lookup gsym/prog.other 0x1000
cairn gsym lookup --force gsym/prog.other 0x1000
cairn gsym lookup --binary gsym/prog gsym/prog.other 0x1000
cairn gsym verify gsym/prog.other
