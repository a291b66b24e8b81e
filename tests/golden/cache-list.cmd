XDG_CACHE_HOME=$(mktemp -d) && export XDG_CACHE_HOME
{
	cairn where dwarf/named 0x401040
	cairn cache list
	cairn cache clear
	cairn cache list
} 2>&1 | sed "s,$XDG_CACHE_HOME,CACHE,; s,^ *[0-9]*  *\([0-9a-f]\{40\}\),SIZE \1,; s,[0-9]* *bytes,SIZE bytes,"
rm -r "$XDG_CACHE_HOME"
