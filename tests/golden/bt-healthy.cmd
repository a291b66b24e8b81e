sh bt/core.sh 13 | cairn bt -n 1 -; sh bt/core.sh 5 0 | cairn bt -n 1 -; sh bt/core.sh 5 | cairn bt -n 1 --crashed -
