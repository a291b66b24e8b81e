cairn markup --reports --debug-file-directory=markup/debug markup/reports.log
