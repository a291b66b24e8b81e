cairn cbf decode --image-map --json --text 0204746573740201001010010103616263
