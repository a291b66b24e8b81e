cairn cbf decode --lines cbf/capture.json
