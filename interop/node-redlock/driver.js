// node-redlock on ioredis behind the line protocol of interop/PROTOCOL.md.

import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Redis from "ioredis";
import Redlock, { ExecutionError, Lock, ResourceLockedError } from "redlock";

const ports = process.argv[2].split(",").map(Number);
const watchdogMs = Number(process.argv[3]);
const several = ports.length > 1;

// By default ioredis keeps a command for a dead server for ten seconds, and node-redlock waits for
// it unless a majority of the servers agrees without it.
const servers = await Promise.all(ports.map((port) => new Promise((resolve) => {
  const server = new Redis(port, "127.0.0.1", several
    ? { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 50 } : {});
  server.once("ready", () => resolve(server));
  server.on("error", () => resolve(server)); // dead
})));
const redlock = new Redlock(servers); // with its defaults: retries every 200 +- 100 ms
const once = { retryCount: 0 };

const holds = new Map(); // by name of the hold: the lock, or the scope of its watchdog
const turns = new Map(); // by name of the hold: its pending request; the next one follows it

const patient = (waitMs) => ({ retryCount: Math.ceil(waitMs / redlock.settings.retryDelay) });

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// The retries of node-redlock keep the votes that a failed attempt won, and read them as those of
// another owner: with several servers two contenders keep each other out until their leases expire.
// So here each attempt is a call of its own, which returns its votes when it fails.
async function acquireWithin(name, leaseMs, waitMs, retry) {
  const end = Date.now() + waitMs;
  for (;;) {
    try {
      return await redlock.acquire([name], leaseMs, once);
    } catch (problem) {
      if (!(problem instanceof ExecutionError) || Date.now() >= end) throw problem;
    }
    await sleep(retry.retryDelay + (Math.random() * 2 - 1) * retry.retryJitter);
  }
}

// Whether so many servers failed that the others were no majority.
async function noQuorum(problem) {
  const last = await problem.attempts.at(-1);
  if (last === undefined) return false; // it asked nobody: its own clock says that it has expired
  const failed = [...last.votesAgainst.values()].filter((e) => !(e instanceof ResourceLockedError));
  return failed.length > last.membershipSize - last.quorumSize;
}

// Runs `body`; a lost vote is `no`, any other failure an error.
async function voted(body, yes, no) {
  try {
    await body();
    return yes;
  } catch (problem) {
    if (problem instanceof ExecutionError && !(await noQuorum(problem))) return no;
    throw problem;
  }
}

// using() is its watchdog: it extends the lock while the routine runs.
function scope(name, settings) {
  let leave;
  const left = new Promise((resolve) => { leave = resolve; });
  let over;
  const entered = new Promise((resolve, reject) => {
    over = redlock.using([name], watchdogMs, settings, async (signal) => {
      resolve();
      await left;
      if (signal.aborted) throw signal.error;
    });
    over.catch(reject);
  });
  return { entered, release: () => { leave(); return over; } };
}

async function acquire(hold, name, leaseMs, waitMs, ...options) {
  if (options.includes("fenced") || leaseMs === "0") return "unsupported";
  const settings = waitMs === "0" ? once : patient(Number(waitMs));
  const take = several
    ? () => acquireWithin(name, Number(leaseMs), Number(waitMs), redlock.settings)
    : () => redlock.acquire([name], Number(leaseMs), settings);
  return voted(async () => {
    if (options.includes("watchdog")) {
      const held = scope(name, settings);
      await held.entered;
      holds.set(hold, held);
    } else {
      holds.set(hold, await take());
      holds.get(hold).leaseMs = Number(leaseMs);
    }
  }, "held", "busy");
}

async function renew(hold) {
  const { leaseMs } = holds.get(hold);
  return voted(async () => {
    holds.set(hold, await redlock.extend(holds.get(hold), leaseMs, once));
    holds.get(hold).leaseMs = leaseMs;
  }, "renewed", "lost");
}

function release(hold) {
  const held = holds.get(hold);
  // By default release() would retry ten times, 200 ms apart, before it reports the loss.
  const body = held instanceof Lock ? () => redlock.release(held, once) : () => held.release();
  return voted(body, "released", "lost");
}

function reenter(hold) {
  const { resources, leaseMs } = holds.get(hold);
  return voted(() => redlock.acquire(resources, leaseMs, once), "held", "busy");
}

function intrude(name) {
  const value = randomBytes(16).toString("hex");
  const forged = new Lock(redlock, [name], value, [], Date.now() + 30500);
  return voted(() => redlock.release(forged, once), "released", "refused");
}

async function count(name, times, file) {
  const eager = { retryCount: -1, retryDelay: 1, retryJitter: 1 };
  for (let i = 0; i < Number(times); ++i) {
    const lock = await (several ? acquireWithin(name, 30500, Infinity, eager)
      : redlock.acquire([name], 30500, eager));
    const value = Number(await readFile(file, "ascii"));
    await writeFile(file, String(value + 1));
    await redlock.release(lock, once);
  }
  return `done ${times}`;
}

function hello() {
  const version = (name) => {
    const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
    return JSON.parse(readFileSync(file)).version.replace(/^v/, "");
  };
  return `ok node-redlock ${version("redlock")} ioredis ${version("ioredis")} ` +
    `node ${process.versions.node}`;
}

const ofHold = {
  acquire, reenter, renew, release,
  try: (hold, name, leaseMs, ...options) => acquire(hold, name, leaseMs, "0", ...options),
};
const others = { count, hello, intrude };

async function handle(number, command, words) {
  const told = (text) => process.stdout.write(`${number} ${text}\n`);
  const failed = (problem) => told(`error ${String(problem).replace(/\s+/g, " ")}`);
  if (command in ofHold) {
    const run = () => ofHold[command](...words);
    const turn = (turns.get(words[0]) ?? Promise.resolve()).then(run).then(told, failed);
    turns.set(words[0], turn);
  } else if (command in others) {
    Promise.resolve(words).then((all) => others[command](...all)).then(told, failed);
  } else {
    told("unsupported");
  }
}

const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  const [number, command, ...words] = line.split(" ");
  if (command === "quit") process.exit(0);
  handle(number, command, words);
});
input.on("close", () => process.exit(0));
