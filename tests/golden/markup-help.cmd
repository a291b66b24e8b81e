cairn markup --help
