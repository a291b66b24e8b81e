cairn gsym create no-such-file
