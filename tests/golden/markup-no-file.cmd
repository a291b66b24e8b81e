cairn markup markup/absent.log
