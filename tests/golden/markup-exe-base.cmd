sed 's/0x/0x7/g' markup/bare.log | cairn markup --exe markup/debug/.build-id/ca/1f0123456789ab.debug@0x70000
