sed -n '1,2p;7,10p;16p' markup/reports.log | cairn markup --reports --json --debug-file-directory=markup/debug 2>/dev/null
