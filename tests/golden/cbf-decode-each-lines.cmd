cairn cbf decode --lines --each cbf/each.txt
