cairn bt --json minidump/arm-windows.dmp
