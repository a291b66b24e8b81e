sh bt/core.sh | { cairn bt --explain - 2>&1; echo "status $?"; } | sed "s|$XDG_CACHE_HOME|CACHE|"
