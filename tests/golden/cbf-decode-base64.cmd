cairn cbf encode --to base64 cbf/frames.txt | cairn cbf decode -
