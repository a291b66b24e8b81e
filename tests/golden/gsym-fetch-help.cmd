cairn gsym fetch --help
