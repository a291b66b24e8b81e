sh cbf/core.sh | cairn cbf find --json --arrays -
