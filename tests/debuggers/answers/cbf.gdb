cairn cbf blob
p $cairn_frames
p $cairn_total
p $cairn_kind1
p $cairn_times1
p $cairn_end
cairn cbf at_end
p $cairn_end
cairn cbf at_end 3
cairn cbf at_end + 0 10
p $cairn_end
cairn cbf -json blob
up
cairn cbf -backtrace &local
cairn cbf -json -backtrace &local
down
cairn cbf -backtrace kept[1]
cairn cbf -backtrace kept[2]
p $cairn_ok
cairn cbf -backtrace blob
p $cairn_ok
cairn cbf 0
p $cairn_error
cairn cbf blob 0
cairn cbf
cairn find-cbf
p $cairn_found
cairn cbf -array $cairn_array0
p $cairn_size0
cairn cbf -array 8
cairn find-cbf -arrays
cairn find-cbf -json
cairn find-cbf 0x1000 0x2000
p $cairn_found
cairn find-cbf 0x2000 0x1000
cairn find-cbf 1
