sh bt/core.sh | cairn bt --registers -n 1 -; sh bt/core.sh | cairn bt --registers --json -1 -n 1 -
for machine in x86 amd64 arm arm64; do cairn bt --registers -1 -n 1 minidump/$machine.dmp; done
