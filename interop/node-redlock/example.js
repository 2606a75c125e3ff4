// The code of docs/interop.md; tests run it: example.js PORT[,PORT...]

import { setTimeout as sleep } from "node:timers/promises";
import Redis from "ioredis";
import Redlock from "redlock";

const sellOne = async () => console.log("sold one");

async function withOneServer(port) {
  // [doc: node-redlock]
  const server = new Redis(port, "127.0.0.1");
  const redlock = new Redlock([server], { retryCount: 100 }); // 200 +- 100 ms apart
  await redlock.using(["stock:1001"], 10000, async (signal) => {
    await sellOne();
    if (signal.aborted) throw signal.error; // it could not be extended
  });
  // [end]
}

async function withSeveral(ports) {
  // [doc: node-redlock quorum]
  // By default ioredis keeps commands for a dead server for ten seconds.
  const settings = { enableOfflineQueue: false, maxRetriesPerRequest: 0 };
  const servers = ports.map((port) => new Redis(port, "127.0.0.1", settings));
  servers.forEach((server) => server.on("error", console.error));
  const redlock = new Redlock(servers, { retryCount: 0 });
  const retry = () => sleep(100 + 200 * Math.random());
  let lock;
  while (!lock) lock = await redlock.acquire(["stock:1001"], 10000).catch(retry);
  await sellOne();
  await lock.release();
  // [end]
}

const ports = process.argv[2].split(",").map(Number);
await (ports.length === 1 ? withOneServer(ports[0]) : withSeveral(ports));
process.exit(0);
