for verb in fetch push serve; do cairn symbfile $verb --help; done
