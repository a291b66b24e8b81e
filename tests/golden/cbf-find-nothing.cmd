sh cbf/core.sh | tr 6 7 | cairn cbf find -
