printf '{{{symbol:%s}}}\n' '$s4deck4DeckV4parkyySiF' '$s4deck4parkyyYaFTQ1_' | cairn markup
printf '{{{symbol:%s}}}\n' '$s4deck4DeckV4parkyySiF' | cairn markup --compat=llvm
