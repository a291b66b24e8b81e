cairn markup --exe markup/debug/.build-id/ca/1f0123456789ab.debug markup/bare.log
