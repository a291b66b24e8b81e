help cairn markup
cairn markup
cairn markup &sink
cairn markup -json &sink
cairn markup &sink + 4
cairn markup &sink 0
cairn markup &sink nosuch
cairn markup nosuch sizeof (sink)
cairn markup -string 16
cairn markup -file /nonexistent/a.log
cairn markup -wrong &sink 4
