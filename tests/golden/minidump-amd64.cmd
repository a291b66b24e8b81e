cairn bt --debug-file-directory minidump/amd64-symbols minidump/amd64.dmp
