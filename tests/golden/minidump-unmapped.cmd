# without a list of mappings: nothing is known of an address, or it is in a module
unlisted() {
	LC_ALL=C sed 's/\x09\x00\x67\x47/\x99\x00\x67\x47/' minidump/amd64.dmp
}
unlisted | cairn bt --quiet - | grep '^Program'
unlisted | LC_ALL=C sed 's/\xad\xde\x00\x00\x00\x00/\x10\x00\x40\x00\x00\x00/' | cairn bt --quiet - | grep '^Program'
