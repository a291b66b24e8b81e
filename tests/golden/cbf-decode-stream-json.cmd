cairn cbf decode --json --stream cbf/stream.hex
