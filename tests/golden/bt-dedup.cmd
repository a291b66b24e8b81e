sh bt/core.sh | cairn bt --dedup --json -n 1 -
