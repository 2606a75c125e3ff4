#!/usr/bin/env bash
# A failover under a held lock, on this machine: sentinels replace a killed Redis master, and the
# job that holds the lock goes on. See failover.md. HOLDFAST names the command if PATH does not.
set -euo pipefail

holdfast=${HOLDFAST:-holdfast}
server=${HOLDFAST_REDIS_SERVER:-redis-server}
scratch=$(mktemp -d)
servers=()
trap 'kill -9 "${servers[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# free_port: one on which nobody listens.
free_port() {
    local port
    while true; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
    done
}

# start NAME PORT ARGUMENT...: a server, or with a configuration file a sentinel.
start() {
    mkdir -p "$scratch/$1"
    "$server" "${@:3}" --port "$2" --bind 127.0.0.1 --dir "$scratch/$1" >"$scratch/$1/log" 2>&1 &
    servers+=($!)
    disown # the shell is not to tell of its end
    local tries
    for ((tries = 0; tries < 500; ++tries)); do
        redis-cli -p "$2" PING 2>/dev/null | grep -q PONG && return
        sleep 0.02
    done
    cat "$scratch/$1/log" >&2
    exit 1
}

# wait_for TEXT COMMAND...: until its output contains the text.
wait_for() {
    local tries
    for ((tries = 0; tries < 1500; ++tries)); do
        "${@:2}" 2>/dev/null | grep -q -- "$1" && return
        sleep 0.02
    done
    echo "failover.sh: no '$1' from: ${*:2}" >&2
    exit 1
}

# [doc: group]
master=$(free_port)
replica=$(free_port)
start master "$master" --save ''
start replica "$replica" --save '' --repl-diskless-sync-delay 0 --replicaof 127.0.0.1 "$master"
sentinels=()
for name in s1 s2 s3; do
    mkdir -p "$scratch/$name"
    cat >"$scratch/$name/config" <<END
sentinel monitor mymaster 127.0.0.1 $master 2
sentinel down-after-milliseconds mymaster 1000
sentinel failover-timeout mymaster 3000
END
    sentinels+=("$(free_port)")
    start "$name" "${sentinels[-1]}" "$scratch/$name/config" --sentinel
done
HOLDFAST_URL="redis+sentinel://127.0.0.1:${sentinels[0]},127.0.0.1:${sentinels[1]}"
HOLDFAST_URL+=",127.0.0.1:${sentinels[2]}/mymaster"
export HOLDFAST_URL
# [end]
for port in "${sentinels[@]}"; do
    wait_for 'slaves=1,sentinels=3' redis-cli -p "$port" INFO sentinel
done
wait_for 'master_link_status:up' redis-cli -p "$replica" INFO replication
echo "a master, a replica and three sentinels"

# [doc: hold]
mkfifo "$scratch/end"
"$holdfast" run nightly-report -- sh -c "
    echo \$HOLDFAST_TOKEN >'$scratch/first'
    read -r end <'$scratch/end' && echo 'the job is done'" &
job=$!
# [end]
wait_for . cat "$scratch/first"
echo "a job holds the lock"
wait_for 1 redis-cli -p "$master" WAIT 1 100

# [doc: kill]
kill -9 "${servers[0]}"
# [end]
wait_for "^$replica\$" redis-cli -p "${sentinels[0]}" SENTINEL GET-MASTER-ADDR-BY-NAME mymaster
wait_for master redis-cli -p "$replica" ROLE
echo "the master is dead, the replica has taken over"

# [doc: busy]
status=0
"$holdfast" run -q --wait 2s nightly-report -- echo 'a second job' || status=$?
echo "a second job does not get the lock: exit code $status"
# [end]

echo >"$scratch/end"
wait "$job"
"$holdfast" run nightly-report -- sh -c "echo \$HOLDFAST_TOKEN >'$scratch/second'"
if (($(cat "$scratch/second") > $(cat "$scratch/first"))); then
    echo "the next job gets it, with a higher token"
fi
