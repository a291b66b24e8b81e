cairn cbf decode --each cbf/each.txt
