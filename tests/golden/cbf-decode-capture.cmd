cairn cbf decode cbf/capture.json
