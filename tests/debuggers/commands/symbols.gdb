# on bare bare-core
cairn where $pc
cairn bt 2
cairn add-gsym missing.gsym
cairn add-gsym cut.gsym
cairn add-gsym other.gsym
cairn add-gsym -module sample other.gsym
cairn add-gsym -json other.gsym
cairn add-gsym -module nosuch sample.gsym
cairn add-gsym -offset x sample.gsym
cairn add-gsym sample.sym
cairn add-breakpad sample.gsym
cairn add-symbfile sample.gsym
cairn add-symbfile nameless
cairn add-symbfile -url ;x 00
cairn symbols unload
cairn add-gsym -only sample.gsym
cairn where $pc
cairn bt 3
cairn bt -json 1
cairn modules
cairn symbols unload
cairn add-gsym sample.gsym
cairn where $pc
cairn bt 3
cairn modules
cairn modules -json
cairn symbols load
cairn symbols load -json
cairn symbols unload
cairn where $pc
cairn add-gsym sample.gsym -json
cairn symbols unload -json
cairn add-breakpad sample.sym
cairn where recurse
cairn symbols unload sample
cairn add-symbfile sample.ranges
cairn where recurse
cairn symbols unload
cairn symbols load sample
cairn symbols load sample extra
cairn symbols unload nosuch
show cairn directory
set cairn directory /nonexistent
show cairn directory
set cairn directory
set cairn gsym-directory /nonexistent/old
show cairn gsym-directory
show cairn auto-symbols
set cairn auto-symbols maybe
set cairn color blue
show cairn color
