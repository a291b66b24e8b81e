cairn store
cairn store add --help
cairn store check --help
cairn store add README.md
cairn store add --store
cairn store check
cairn store check a b
