sh bt/core.sh | cairn bt --list-modules -
