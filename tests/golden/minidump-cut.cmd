head -c 400 minidump/amd64.dmp | cairn bt -
