cairn cbf decode --stream cbf/stream.hex
