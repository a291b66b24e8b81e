cairn bt --list-modules minidump/amd64.dmp
