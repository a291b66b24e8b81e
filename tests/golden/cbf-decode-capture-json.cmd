cairn cbf decode --json cbf/capture.json
