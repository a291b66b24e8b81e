cairn sync
cairn status
cairn status -json
