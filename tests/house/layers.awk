# SPDX-License-Identifier: MIT
# The block of layers in docs/architecture.md, for layers.sh and circles.sh: awk reads that page first.

# Return the layer of a directory below core, or of one that begins with plugin: the longest name in the block
# that it begins with.
function layer_of(path) {
	while (!known[path] && sub(/\/[^\/]*$/, "", path)) ;
	return known[path] ? path : ""
}

# Return true if a layer may use a directory. A layer that names unwind may use all below it; NAME() allows calls alone.
function allowed(layer, to, is_call) {
	do {
		if (may[layer, to] || (is_call && may[layer, to "()"])) return 1
	} while (sub(/\/[^\/]*$/, "", to))
	return 0
}

# A line is a layer and the names that it may use; <pattern> is reserved for the layers that name it.
FILENAME == "docs/architecture.md" {
	if (/^```/) block = /^```layers$/
	else if (block) {
		known[$1] = layers = 1
		for (i = 2; i <= NF; i++) { may[$1, $i] = 1; if ($i ~ /^</) guarded[$i] = 1 }
	}
	next
}
