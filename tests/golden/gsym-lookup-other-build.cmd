cairn gsym lookup --binary gsym/prog gsym/prog.gsym 0x400110
cairn gsym lookup --binary gsym/prog ../fuzz/corpus/gsym/first.v1le.gsym 0x1000
cairn gsym lookup --binary gsym/prog ../fuzz/corpus/gsym/nested.gsym 0x1000
cairn gsym lookup --binary gsym/prog --force ../fuzz/corpus/gsym/first.v1le.gsym 0x1000
