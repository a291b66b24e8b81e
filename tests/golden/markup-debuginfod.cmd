unset DEBUGINFOD_URLS; DEBUGINFOD_CACHE_PATH=/nonexistent cairn markup --debuginfod --debug-file-directory=markup/debug markup/missing.log
