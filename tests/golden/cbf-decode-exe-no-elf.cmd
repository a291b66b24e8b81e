cairn cbf decode --text 021810 --exe cbf/trace.hex
