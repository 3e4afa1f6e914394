#!/bin/bash
# A batch on a real Slurm of one node, started here without systemd: 200 small entries, processes killed with -9, the node's daemon
# restarted, the disk full for a while. At the end every output is there once, whole, with the manifest's hash, and has the
# bytes that a run without Slurm makes. test-slurm.sh PELT; ENTRIES=40 for fewer (`make test`); exit 77: Slurm or munge is not installed, or this is not root.
set -u
entries=${ENTRIES:-200}
pelt=$(realpath "${1:?which pelt}")
for need in slurmctld slurmd sbatch squeue munged mungekey; do
  command -v $need >/dev/null || { echo "skipped: no $need (Debian: slurmctld slurmd slurm-client munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: starting Slurm here needs root"; exit 77; }
work=$(mktemp -d) && chmod 755 "$work" && cd "$work" || exit 1
stop() {
  for daemon in slurmd slurmctld munged; do [ -s $daemon.pid ] && kill -9 "$(cat $daemon.pid)" 2>/dev/null; done
  pkill -9 -f "slurmstepd.*$work" 2>/dev/null
  mountpoint -q disk && umount -l disk
  cd / && rm -rf "$work" || { sleep 1; rm -rf "$work"; }
}
trap stop EXIT
fail() { echo "FAILED: $*"; tail -5 slurmctld.log slurmd.log munged.log 2>/dev/null; exit 1; }

# ---- the cluster ----
mungekey -c -k munge.key && chown root munge.key && chmod 600 munge.key
munged --key-file "$work/munge.key" --socket "$work/munge.socket" --pid-file "$work/munged.pid" --log-file "$work/munged.log" \
  --seed-file "$work/munge.seed" --num-threads 2 --force 2>/dev/null || fail "munged does not start"
host=$(hostname -s)
port=$((16000 + $$ % 8000 * 2)) # several of these may run on one machine
cat > slurm.conf <<C
ClusterName=pelt
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
JobRequeue=1
MaxArraySize=2001
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdTimeout=20
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
C
mkdir -p state spool
export SLURM_CONF=$work/slurm.conf
slurmctld -f slurm.conf >/dev/null 2>&1 || fail "slurmctld does not start"
slurmd -f slurm.conf >/dev/null 2>&1 || fail "slurmd does not start"
for i in $(seq 40); do [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break; sleep 0.5; done
[ "$(sinfo -h -o %T)" = idle ] || fail "the node is $(sinfo -h -o %T)"

# ---- 200 entries ----
mkdir -p disk plain
mount -t tmpfs -o size=600m tmpfs disk 2>/dev/null || echo "skipped: no small disk can be mounted here: it is not filled"
"$pelt" make cylinder --vertices 500 -o one.glb -q || fail make
python3 - $entries <<'P'
import json, sys
for name, folder in (('jobs.json', 'disk'), ('plain.json', 'plain')):
    jobs = [{"character": "one.glb", "clip": str(i % 2), "method": "lbs", "fps": 10 + i // 2,
             "output": "%s/%03d.pc2" % (folder, i)} for i in range(int(sys.argv[1]))]
    json.dump({"jobs": jobs}, open(name, 'w'))
P
"$pelt" batch plain.json -q || fail "the plain run"
"$pelt" batch jobs.json --slurm > batch.log 2>&1 & batch=$!
for i in $(seq $((entries / 12))); do sleep 0.5; pkill -9 -f "bake $work/one.glb" 2>/dev/null; done
if mountpoint -q disk; then
  dd if=/dev/zero of=disk/full bs=1M 2>/dev/null; sleep 4; rm -f disk/full
fi
kill -9 "$(cat slurmd.pid)"; sleep 2; rm -f slurmd.pid
slurmd -f slurm.conf >/dev/null 2>&1 || fail "slurmd does not start again"
wait $batch; code=$?
[ $code = 0 ] || { tail -5 batch.log; fail "exit $code"; }

# ---- every output once, whole, as the manifest says, with the bytes of the plain run ----
[ "$(find disk -name '*.pc2' | wc -l)" = "$entries" ] || fail "$(find disk -name '*.pc2' | wc -l) outputs"
for i in $(seq -f %03.0f 0 $((entries - 1))); do cmp -s disk/$i.pc2 plain/$i.pc2 || fail "disk/$i.pc2 has other bytes"; done
"$pelt" batch jobs.json --verify --json | grep -q '"skipped": '$entries', "made": 0' || fail "the manifest does not know them all"
# ---- samples, and behind them the fit ----
cat > distil.json <<'J'
{"jobs": [{"character": "one.glb", "method": "dqs", "output": "{character}-engine.glb", "distil": {"poses": 24, "correctives": 4, "parts": 3}}]}
J
"$pelt" distil one.glb -m dqs --poses 24 --correctives 4 -q -o alone.glb || fail "distil without Slurm"
"$pelt" batch distil.json --slurm --chunk 1 > distil.log 2>&1 || { tail -5 distil.log; fail "a distil job"; }
cmp -s alone.glb one-engine.glb || fail "the distilled file has other bytes"
grep -q 'stage 2' distil.manifest.slurm-2.sh || fail "the fit is no array of its own"
echo "slurm: $entries of $entries good, $(find disk -type f ! -name '*.pc2' | wc -l) other files left"
