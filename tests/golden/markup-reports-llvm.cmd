cairn markup --reports --compat=llvm markup/reports.log
cairn markup --reports --style=llvm markup/reports.log
