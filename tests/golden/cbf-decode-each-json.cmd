cairn cbf decode --json --each cbf/each.txt
