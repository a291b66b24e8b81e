cairn cbf encode cbf/frames.txt | cairn cbf decode --images cbf/map.hex -
