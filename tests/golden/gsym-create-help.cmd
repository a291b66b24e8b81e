cairn gsym create --help
