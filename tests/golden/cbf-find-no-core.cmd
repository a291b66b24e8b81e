cairn cbf find gsym/prog
