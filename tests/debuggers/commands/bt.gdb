cairn bt 3
cairn bt -explain 2
cairn bt -full-path 1
cairn bt -json 2
print $cairn_frames
