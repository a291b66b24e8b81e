head -c 40 minidump/amd64.dmp | cairn bt -
