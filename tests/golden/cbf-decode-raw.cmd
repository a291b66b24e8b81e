cairn cbf encode --to raw cbf/frames.txt | cairn cbf decode -
