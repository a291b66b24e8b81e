cairn cbf decode cbf/trace.hex | cairn cbf encode -
cairn cbf decode --lines cbf/trace.hex | cairn cbf encode -
cairn cbf decode cbf/records.log 2>/dev/null | cairn cbf encode -
cairn cbf decode cbf/capture.json | cairn cbf encode --swift --to base64 -
