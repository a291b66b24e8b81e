cairn bt --debug-file-directory minidump/arm64-symbols minidump/arm64.dmp
