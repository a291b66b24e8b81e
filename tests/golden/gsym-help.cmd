cairn gsym --help
cairn gsym
cairn gsym lookup --help
