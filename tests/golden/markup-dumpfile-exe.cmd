printf '{{{dumpfile:core:x}}}\n' | cairn markup --exe markup/debug/.build-id/ca/1f0123456789ab.debug@0x10000 --dumpfile-output=/dev/stdout --flush=block | cat
