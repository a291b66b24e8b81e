cairn minidump --help
