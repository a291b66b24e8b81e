sh cbf/core.sh | cairn cbf find --lines --arrays -
