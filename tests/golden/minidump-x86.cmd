cairn bt --debug-file-directory minidump/x86-symbols minidump/x86.dmp
