sh bt/core.sh | head -c 8200 | cairn bt -
