cairn bt cbf/trace.hex
