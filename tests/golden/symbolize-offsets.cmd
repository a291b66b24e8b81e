cairn symbolize --directory gsym <symbolize/offsets.json
