cairn bt --debug-file-directory minidump/arm-symbols minidump/arm.dmp
