f=../fuzz/corpus/symbfile
cairn symbfile push x; cairn symbfile push --url http://h; cairn symbfile serve --listen 127.0.0.1:0
cairn symbfile serve --listen 127.0.0.1:0 --store d --timeout 0; cairn symbfile fetch x
cairn symbfile fetch --url http://h --output a b c
cairn symbfile push --url http://h --file-id short $f/table-replaced.symbfile
cairn symbfile push --url http://h $f/table-replaced.symbfile
cairn symbfile push --url http://h --file-id 3476fd693ca3cee191431107d36ca058 gsym/prog.c
cairn symbfile push --url http://h --file-id 3476fd693ca3cee191431107d36ca058 $f/pb-group-unterminated.symbfile
cairn symbfile push --url http://h --api-key 'two words' $f/table-replaced.symbfile
