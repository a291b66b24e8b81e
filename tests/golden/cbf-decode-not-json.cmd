cairn cbf decode --text '{"a":1}'
