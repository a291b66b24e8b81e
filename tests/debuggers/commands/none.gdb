# on none
cairn bt
print $cairn_ok
print $cairn_error
cairn sframe
cairn where main
cairn modules
cairn sync
cairn where main
cairn sframe main
cairn sframe -json stop_here
cairn where nosuch
print $cairn_ok
print $cairn_error
show cairn unwinder
