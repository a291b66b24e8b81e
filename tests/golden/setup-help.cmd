cairn setup --help
cairn setup
cairn setup --write --remove gdb
cairn setup emacs
