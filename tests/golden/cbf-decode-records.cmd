cairn cbf decode cbf/records.log
