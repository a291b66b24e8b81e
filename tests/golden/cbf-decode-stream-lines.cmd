cairn cbf decode --lines --stream cbf/stream.hex
