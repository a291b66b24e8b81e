sh bt/core.sh | cairn bt --explain -
