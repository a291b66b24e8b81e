sh bt/core.sh | head -c 1200 | cairn bt -
