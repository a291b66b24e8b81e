#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/slurm-triage.sh on a Slurm of the test's own (one node, loopback): a task and the node's daemon are killed, and the groups are those of one process.
#
#	slurm.sh CAIRN FIXTURES [CORES]
. "$(dirname "$0")/../lib/test.sh"
CAIRN=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") fixtures=$2 count=${3:-40}
export CAIRN
top=$(cd "$(dirname "$0")/../.." && pwd)
for program in slurmctld slurmd sbatch munged squeue; do
	command -v $program >/dev/null || skip "there is no $program here (scripts/setup.sh --fleet)"
done
[ "$(id -u)" = 0 ] || skip 'the daemons of Slurm want to be root here'

daemons=
finish() {
	status=$?
	# tasks outlive the daemons
	! squeue -h 2>/dev/null | grep -q . || { scancel --user=root 2>/dev/null && sleep 2; }
	for daemon in $daemons; do
		kill -9 "$daemon" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

port=$((20000 + $$ % 3000 * 4)) cpus=$(nproc)
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
mkdir -p "$work/state" "$work/spool" "$work/munge" "$work/cores"
chmod 755 "$work"
chmod 700 "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 600 "$work/munge/key"
printf '%s\n' ClusterName=one "SlurmctldHost=localhost(127.0.0.1)" SlurmUser=root SlurmdUser=root SlurmctldPort=$port SlurmdPort=$((port + 1)) \
	AuthType=auth/munge "AuthInfo=socket=$work/munge/socket,cred_expire=5" "StateSaveLocation=$work/state" "SlurmdSpoolDir=$work/spool" \
	"SlurmctldPidFile=$work/ctld.pid" "SlurmdPidFile=$work/d.pid" ProctrackType=proctrack/linuxproc TaskPlugin=task/none \
	JobAcctGatherType=jobacct_gather/none AccountingStorageType=accounting_storage/none SelectType=select/cons_tres \
	SelectTypeParameters=CR_Core ReturnToService=2 SlurmdTimeout=10 MaxArraySize=10001 RequeueExit=75 CommunicationParameters=NoInAddrAny \
	"NodeName=localhost NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN" "PartitionName=p Nodes=localhost Default=YES MaxTime=INFINITE State=UP" >"$SLURM_CONF"
munged -F --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
	--seed-file="$work/munge/seed" >/dev/null 2>&1 &
daemons=$!
sleep 1
slurmctld -D -f "$SLURM_CONF" >"$work/ctld.log" 2>&1 &
daemons="$daemons $!"
start_node() {
	slurmd -D -f "$SLURM_CONF" -N localhost >>"$work/d.log" 2>&1 &
	node=$!
	daemons="$daemons $node"
}
start_node
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
	tries=$((tries + 1))
	[ $tries -lt 100 ] || skip "Slurm does not start here: $(tail -n 1 "$work/ctld.log" "$work/d.log" | tr '\n' ' ')"
	sleep 0.2
done

# dumps of two machines, and files that are none; each is another one by what is behind it
number=0
while [ $number -lt "$count" ]; do
	case $((number % 3)) in
	0) from=minidump/amd64.dmp ;;
	1) from=group/crashes.json ;;
	2) from=minidump/arm64.dmp ;;
	esac
	{
		cat "$fixtures/$from"
		printf 'number %s\n' $number
	} >"$work/cores/dump \"$number\"" || exit 2
	number=$((number + 1))
done

# what one process makes of the same
(cd "$work/cores" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) | while IFS= read -r name; do
	sum=$(sha256sum <"$work/cores/$name") kind=core
	[ "$(head -c 4 "$work/cores/$name")" != MDMP ] || kind=minidump
	printf '{"hash":"%s","size":%s,"path":"%s","kind":"'$kind'"}\n' "${sum%% *}" "$(stat -c %s "$work/cores/$name")" \
		"$(printf %s "$name" | sed 's/"/\\"/g')"
done >"$work/requests"
"$CAIRN" symbolize --each --bodies "$work/cores" <"$work/requests" >"$work/answers" 2>"$work/err" || fail "one process: status $?"
"$CAIRN" group "$work/answers" >"$work/expected" 2>"$work/err" || [ $? = 1 ] || fail "groups of one process: $(cat "$work/err")"
[ "$(wc -l <"$work/answers")" = "$count" ] || fail 'one process does not answer all'

"$top/scripts/slurm-triage.sh" --out "$work/out" --each $((count / 10 + 1)) "$work/cores" >"$work/said" 2>&1 || fail "not submitted: $(cat "$work/said")"
# a task dies in its middle, once one runs; then the daemon of the node, and comes back
tries=0
until pgrep -f "slurm-triage.sh --task $work/out" >"$work/tasks" || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
kill -9 "$(head -n 1 "$work/tasks")" 2>/dev/null || echo 'no task was killed: they were too fast'
kill -9 "$node" 2>/dev/null
# Slurm has to notice: a daemon that is back before keeps jobs that it does not know running for minutes
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q down || [ $tries = 300 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
start_node
tries=0
until [ -f "$work/out/groups" ] || [ $tries = 2400 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
if [ -f "$work/out/groups" ]; then
	cmp -s "$work/out/groups" "$work/expected" || fail "other groups: $(diff "$work/out/groups" "$work/expected" | head -n 4 | cut -c 1-200)"
	cat "$work/out"/part.* | LC_ALL=C sort >"$work/parts"
	LC_ALL=C sort "$work/answers" | cmp -s - "$work/parts" || fail 'other answers'
	[ ! -f "$work/out/missing" ] || fail "missing: $(cat "$work/out/missing")"
	ls "$work/out" | grep -E '^(new|requests|groups|parts)\.' && fail 'files are left'
else
	fail "no groups after 480 s: $(squeue 2>&1 | head -n 5); $(cat "$work/out"/log.* 2>/dev/null | tail -n 3); $(tail -n 2 "$work/d.log")"
fi
exit $failed
