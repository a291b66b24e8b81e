cairn markup --style=pretty
