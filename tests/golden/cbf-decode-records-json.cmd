cairn cbf decode --json cbf/records.log
