cairn symbolize --help
