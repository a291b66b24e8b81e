cairn where nosuch
print $cairn_ok
print $cairn_error
cairn where *(int *) 0
print $cairn_error
cairn where -json nosuch("a\n")
print $cairn_error
cairn where
cairn bt -all
cairn bt 1 2
cairn bt nosuch
cairn sframe 0
cairn status now
cairn load-reader
cairn load-reader "/srv/no such reader.so"
cairn nosuch
cairn bt 1
print $cairn_ok
print $cairn_error
cairn find-cbf one two
cairn cbf &sink 99999999
cairn add-gsym
cairn symbols load nosuch
cairn symbols unload nosuch
