cairn gsym diff --help
