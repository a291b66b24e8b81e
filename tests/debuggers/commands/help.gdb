# on none
help cairn
help cairn status
help cairn modules
help cairn where
help cairn bt
help cairn sframe
help cairn demangle
help cairn cbf
help cairn find-cbf
help cairn markup
help cairn open
help cairn close
help cairn add-gsym
help cairn add-symbfile
help cairn add-breakpad
help cairn symbols load
help cairn symbols unload
help set cairn directory
help show cairn directory
help cairn sync
help cairn load-reader
help cairn add-sframe
help set cairn
help set cairn unwinder
help show cairn unwinder
help set cairn color
help show cairn color
complete cairn s
complete set cairn
