cairn cbf decode --json cbf/trace.hex
