sh bt/core.sh | cairn bt --folded -
