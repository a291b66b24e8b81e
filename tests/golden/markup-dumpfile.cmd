cairn markup --dumpfile-output=/dev/stdout --flush=block markup/dump.log 2>/dev/null | sed -n '/^\[/,$p'
