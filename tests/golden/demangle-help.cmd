cairn demangle --help
