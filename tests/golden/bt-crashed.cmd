sh bt/core.sh | cairn bt -1 -n 2 -
