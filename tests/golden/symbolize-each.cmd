cairn symbolize --each --directory gsym <symbolize/requests.json
