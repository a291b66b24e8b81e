for words in 'bt a b c' 'cbf encode --text x y' 'markup --color no' 'markup --compat x' 'markup --flush x' \
	'markup --functions x' 'markup a b' 'symbfile create --jobs 0 x' 'symbfile create --only x x' \
	'symbfile create a b' 'symbfile fetch --url http://[::1]:1' 'symbfile fetch --url http://[::1]:1 --retries 9999999 x' \
	'symbfile id --parse --kernel x' 'symbfile id --kernel zz' \
	'symbfile push --url http://[::1]:1 --api-key a --api-key-file b x' 'symbfile push --url http://[::1]:1 --retries 9999999 x' \
	'symbfile push --url http://[::1]:1' 'symbfile serve --listen 127.0.0.1:0 --store x y' \
	'symbfile fetch --url http://[::1]:1 nosuch' 'symbfile push --dry-run --url http://[::1]:1 gsym/prog.c gsym/prog.c'; do
	cairn $words 2>&1 | grep -a '^cairn: '
done
for words in 'cache list' 'symbfile fetch --url http://[::1]:1 f38fc08b035bad041deaa6f8250e1cb9'; do
	(
		unset HOME XDG_CACHE_HOME
		cairn $words
	)
done
cairn gsym lookup gsym/prog.gsym <.
cairn gsym create -o - gsym/prog.gsym >/dev/full
