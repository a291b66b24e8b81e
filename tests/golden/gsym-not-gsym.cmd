cairn gsym dump markup/breakpad/.build-id/ca/1f0123456789ab.sym
