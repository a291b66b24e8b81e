show cairn unwinder
set cairn unwinder always
show cairn unwinder
frame function main
set cairn unwinder off
up-silently 20
set cairn unwinder auto
print $cairn_ok
frame function main
set cairn unwinder auto
frame
set cairn unwinder sometimes
set cairn unwinder
show cairn color
set cairn color off
show cairn color
set cairn color blue
print $cairn_error
