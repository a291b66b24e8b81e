cairn cbf decode --lines cbf/records.log
