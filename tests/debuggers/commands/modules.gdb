cairn sync
cairn modules
cairn modules -json
