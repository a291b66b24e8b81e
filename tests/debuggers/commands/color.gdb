cairn bt 1
set cairn color on
cairn bt 2
cairn sframe
cairn bt -json 1
set cairn color off
cairn bt 1
