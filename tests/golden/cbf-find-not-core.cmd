cairn cbf find cbf/trace.hex
