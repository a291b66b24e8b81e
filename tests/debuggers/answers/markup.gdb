cairn markup -string ring
cairn markup ring 7
cairn markup ring + 2 5
cairn markup ring ring_size / 1000 + 7
cairn markup ring + sizeof (char) - 1 sizeof (short) + 5
cairn markup (char *) ring (7)
p $cairn_ok
cairn markup ring nosuch
cairn markup ring (7 - 7)
cairn markup ring
p $cairn_ok
cairn markup -string 0
p $cairn_error
cairn markup -file absent.log
cairn markup
cairn markup -json -string ring
