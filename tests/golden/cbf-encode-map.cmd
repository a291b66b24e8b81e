cairn cbf encode --image-map cbf/images.txt
cairn cbf encode --image-map --swift --json cbf/images.txt
cairn cbf decode --image-map --lines cbf/map.hex | cairn cbf encode --image-map -
