cairn where $pc
cairn where recurse
cairn where &sink
cairn where 0
cairn where -json $pc
up
cairn where 0x10
frame function recurse
cairn where depth
