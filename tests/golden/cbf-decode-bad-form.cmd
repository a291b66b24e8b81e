cairn cbf decode --from xml cbf/trace.hex
