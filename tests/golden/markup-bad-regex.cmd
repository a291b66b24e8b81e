printf 'a\n' | cairn markup --split-by='('
