head -c 20 minidump/amd64.dmp | cairn bt -
