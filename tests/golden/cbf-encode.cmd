cairn cbf encode cbf/frames.txt
