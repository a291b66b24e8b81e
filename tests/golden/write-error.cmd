# The message has the system's words.
cairn --help 2>/dev/null >/dev/full
