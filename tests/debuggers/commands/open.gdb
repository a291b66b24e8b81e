cairn open crash.log
bt
cairn bt
cairn close
cairn close
cairn open -json nosuch.dmp
cairn open
cairn open -string 16
