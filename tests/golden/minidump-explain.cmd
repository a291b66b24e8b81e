cairn bt --explain --debug-file-directory minidump/amd64-symbols minidump/x86.dmp
