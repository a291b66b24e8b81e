cairn addr2line --help
