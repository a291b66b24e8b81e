cairn gsym create
