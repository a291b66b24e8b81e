cairn cbf encode --swift cbf/frames.txt
