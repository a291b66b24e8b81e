cairn help gsym find | head -n 1
cairn gsym help find | head -n 1
cairn help | head -n 1
cairn -V | sed 's/[0-9.]*$/VERSION/'
cairn version | sed 's/[0-9.]*$/VERSION/'
cairn help nope
