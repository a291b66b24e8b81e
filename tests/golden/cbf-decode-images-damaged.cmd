cairn cbf decode --images cbf/damaged.hex --text 02181000
