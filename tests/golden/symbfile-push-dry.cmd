f=../fuzz/corpus/symbfile
cairn symbfile push --dry-run --url https://store.example/x --file-id 3476fd693ca3cee191431107d36ca058 $f/table-replaced.symbfile $f/pad-delta-chain.symbfile
cairn symbfile push --dry-run --json --part-size 40 --api-key example-id:example-key --url http://h/ gsym/prog.c $f/table-replaced.symbfile
cairn symbfile push --dry-run --api-key example-id:example-key --url http://h/ gsym/prog.c $f/pad-delta-chain.symbfile
