// The code of docs/interop.md; tests run it: example.js PORT

import Redis from "ioredis";
import Redlock from "redlock";

const sellOne = async () => console.log("sold one");
const port = Number(process.argv[2]);
// [doc: node-redlock]
const server = new Redis(port, "127.0.0.1");
const redlock = new Redlock([server], { retryCount: 100 }); // 200 +- 100 ms apart
await redlock.using(["stock:1001"], 10000, async (signal) => {
  await sellOne();
  if (signal.aborted) throw signal.error; // it could not be extended
});
// [end]
await server.quit();
